#include "partiql/keywords.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace partita::partiql {

namespace {

using namespace std::literals;  // NOLINT: for sv alone

// Sorted.
// clang-format off
constexpr std::array kKeywords = {
    "absolute"sv, "action"sv, "add"sv, "all"sv, "allocate"sv, "alter"sv, "any"sv, "are"sv, "as"sv, "asc"sv,
    "assertion"sv, "at"sv, "authorization"sv, "avg"sv, "bag"sv, "begin"sv, "bigint"sv, "bit"sv, "bit_length"sv,
    "blob"sv, "bool"sv, "boolean"sv, "by"sv, "can_cast"sv, "can_lossless_cast"sv, "cascade"sv, "cascaded"sv, "case"sv,
    "cast"sv, "catalog"sv, "char"sv, "char_length"sv, "character"sv, "character_length"sv, "check"sv, "clob"sv,
    "close"sv, "coalesce"sv, "collate"sv, "collation"sv, "column"sv, "commit"sv, "conflict"sv, "connect"sv,
    "connection"sv, "constraint"sv, "constraints"sv, "continue"sv, "convert"sv, "corresponding"sv, "count"sv,
    "create"sv, "cross"sv, "current"sv, "current_date"sv, "current_time"sv, "current_timestamp"sv, "current_user"sv,
    "cursor"sv, "date"sv, "date_add"sv, "date_diff"sv, "deallocate"sv, "dec"sv, "decimal"sv, "declare"sv, "default"sv,
    "deferrable"sv, "deferred"sv, "delete"sv, "desc"sv, "describe"sv, "descriptor"sv, "diagnostics"sv, "disconnect"sv,
    "distinct"sv, "do"sv, "domain"sv, "double"sv, "drop"sv, "else"sv, "end"sv, "escape"sv, "exception"sv, "exec"sv,
    "execute"sv, "exists"sv, "external"sv, "extract"sv, "fetch"sv, "first"sv, "float"sv, "for"sv, "foreign"sv,
    "found"sv, "from"sv, "full"sv, "get"sv, "global"sv, "go"sv, "goto"sv, "grant"sv, "group"sv, "having"sv,
    "identity"sv, "immediate"sv, "index"sv, "indicator"sv, "initially"sv, "inner"sv, "input"sv, "insensitive"sv,
    "insert"sv, "int"sv, "int2"sv, "int4"sv, "int8"sv, "integer"sv, "integer2"sv, "integer4"sv, "integer8"sv,
    "interval"sv, "into"sv, "isolation"sv, "join"sv, "key"sv, "language"sv, "last"sv, "left"sv, "let"sv, "level"sv,
    "limit"sv, "list"sv, "local"sv, "lower"sv, "match"sv, "max"sv, "min"sv, "modified"sv, "module"sv, "names"sv,
    "national"sv, "natural"sv, "nchar"sv, "new"sv, "next"sv, "no"sv, "nothing"sv, "nullif"sv, "numeric"sv,
    "octet_length"sv, "of"sv, "offset"sv, "old"sv, "on"sv, "only"sv, "open"sv, "option"sv, "order"sv, "outer"sv,
    "output"sv, "overlaps"sv, "pad"sv, "partial"sv, "pivot"sv, "position"sv, "precision"sv, "prepare"sv, "preserve"sv,
    "primary"sv, "prior"sv, "privileges"sv, "procedure"sv, "public"sv, "read"sv, "real"sv, "references"sv, "relative"sv,
    "remove"sv, "restrict"sv, "returning"sv, "revoke"sv, "right"sv, "rollback"sv, "rows"sv, "schema"sv, "scroll"sv,
    "section"sv, "select"sv, "session"sv, "session_user"sv, "set"sv, "sexp"sv, "size"sv, "smallint"sv, "some"sv,
    "space"sv, "sql"sv, "sqlcode"sv, "sqlerror"sv, "sqlstate"sv, "string"sv, "struct"sv, "substring"sv, "sum"sv,
    "symbol"sv, "system_user"sv, "table"sv, "temporary"sv, "then"sv, "time"sv, "timestamp"sv, "to"sv, "transaction"sv,
    "translate"sv, "translation"sv, "trim"sv, "tuple"sv, "unique"sv, "unknown"sv, "unpivot"sv, "update"sv, "upper"sv,
    "usage"sv, "user"sv, "using"sv, "value"sv, "values"sv, "varchar"sv, "varying"sv, "view"sv, "when"sv, "whenever"sv,
    "where"sv, "with"sv, "work"sv, "write"sv, "zone"sv,
};
// clang-format on
static_assert(std::ranges::is_sorted(kKeywords));

constexpr std::array kOperators = {"and"sv, "between"sv, "except"sv, "in"sv, "intersect"sv,
                                   "is"sv,  "like"sv,    "not"sv,    "or"sv, "union"sv};

constexpr std::array kJoined = {"all new"sv,     "all old"sv, "character varying"sv, "double precision"sv,
                                "insert into"sv, "is not"sv,  "modified new"sv,      "modified old"sv,
                                "not between"sv, "not in"sv,  "not like"sv};

// clang-format off
constexpr std::array kTypes = {
    "any"sv, "bag"sv, "bigint"sv, "blob"sv, "bool"sv, "boolean"sv, "char"sv, "character"sv, "character varying"sv,
    "clob"sv, "date"sv, "dec"sv, "decimal"sv, "double precision"sv, "float"sv, "int"sv, "int2"sv, "int4"sv, "int8"sv,
    "integer"sv, "integer2"sv, "integer4"sv, "integer8"sv, "list"sv, "missing"sv, "null"sv, "numeric"sv, "real"sv,
    "sexp"sv, "smallint"sv, "string"sv, "struct"sv, "symbol"sv, "time"sv, "timestamp"sv, "tuple"sv, "varchar"sv,
};
// clang-format on

constexpr std::array kFunctions = {"avg"sv,   "bag"sv,          "bit_length"sv, "char_length"sv, "character_length"sv,
                                   "count"sv, "exists"sv,       "list"sv,       "lower"sv,       "max"sv,
                                   "min"sv,   "octet_length"sv, "sexp"sv,       "size"sv,        "substring"sv,
                                   "sum"sv,   "upper"sv};

bool has(const auto& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

}  // namespace

bool is_keyword(std::string_view word) { return std::ranges::binary_search(kKeywords, word); }
bool is_operator_word(std::string_view word) { return has(kOperators, word); }
bool is_joined(std::string_view words) { return has(kJoined, words); }
bool is_type_name(std::string_view word) { return has(kTypes, word); }
bool is_function_word(std::string_view word) { return has(kFunctions, word); }

}  // namespace partita::partiql
