#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "ops/driver.h"
#include "ops/items/transact_call.h"
#include "ops/json_codec.h"
#include "ops/reply.h"
#include "ops/statements/statement_call.h"
#include "partiql/reads.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::Field;
using wire::Members;

// Where a SELECT goes on: with which of its reads, and there behind which key.
struct Position {
  size_t read = 0;
  std::optional<model::Item> start;
};

struct StatementRequest {
  partiql::Statement statement;
  partiql::ReadOptions options;
  std::optional<uint64_t> limit;
  bool return_item_on_failure = false;
  Position from;
  std::string digest;  // of the statement and its parameters
};

// NextToken: version (1), the digest, the read, the key as an item; as base64.
constexpr uint8_t kTokenVersion = 1;

std::string token_of(const std::string& digest, const Position& position) {
  std::string bytes(1, static_cast<char>(kTokenVersion));
  append_sized(bytes, digest);
  append_varint(bytes, position.read);
  if (position.start) bytes += model::encode_item(*position.start);
  std::string token;
  append_base64(token, bytes);
  return token;
}

Result<Position> position_of_token(std::string_view token, const std::string& digest) {
  const auto bytes = decode_base64(token);
  std::string_view rest = bytes ? std::string_view(*bytes) : std::string_view();
  const auto version = take_u8(rest);
  const auto said = take_sized(rest);
  const auto read = take_varint(rest);
  if (version != kTokenVersion || !said || !read) return refuse(Fault::kPartiqlTokenInvalid);
  if (*said != digest) return refuse(Fault::kPartiqlTokenMismatch);
  Position position{*read, std::nullopt};
  if (rest.empty()) return position;
  auto start = model::decode_item(rest);
  if (!start.ok()) return refuse(Fault::kPartiqlTokenInvalid);
  position.start = std::move(start).value();
  return position;
}

// A page of a SELECT, out of one or more of its reads.
struct Selected {
  std::vector<table::Table> tables;  // whose names stand in what was consumed
  std::vector<api::RangeReply> pages;
  api::ConsumedCapacity consumed;
  uint64_t scanned = 0;
  Position at;        // the read that is next
  bool more = false;  // there is something behind `at`
};

// About 1 MB, as a page of Query or Scan has.
bool is_full(const StatementRequest& request, const Selected& page) {
  constexpr model::HalfUnits kEventual = model::kMaxPageBytes / model::kReadUnitBytes;
  const model::HalfUnits most = request.options.consistent ? 2 * kEventual : kEventual;
  return page.consumed.total().read >= most || (request.limit && page.scanned >= *request.limit);
}

bool is_of_start_key(Fault fault) { return fault >= Fault::kStartKeyInvalid && fault <= Fault::kStartKeyOfOneRow; }

// Goes on with the page until it is done.
Task<Result<void>> try_select(const Context& context, RequestAuthorizer& checker, const StatementRequest& request,
                              Selected& page) {
  PARTITA_CO_TRY(const table::Table table, find_table(request.statement, context));
  PARTITA_CO_TRY(std::vector<api::RangeRequest> reads, partiql::reads_of(request.statement, *table, request.options));
  page.tables.push_back(table);
  if (page.at.read >= reads.size()) co_return refuse(Fault::kPartiqlTokenInvalid);
  for (; page.at.read < reads.size(); ++page.at.read) {
    page.more = page.scanned > 0 || !page.pages.empty();
    if (page.more && is_full(request, page)) co_return Result<void>();
    api::RangeRequest& read = reads[page.at.read];
    read.start = page.at.start;
    if (request.limit) read.limit = *request.limit - page.scanned;
    auto plan = table::bind(read, table);
    if (!plan.ok() && read.start && is_of_start_key(model::fault_of(plan.error()))) {
      co_return refuse(Fault::kPartiqlTokenInvalid);
    }
    if (!plan.ok()) co_return std::move(plan).error();
    auto admitted = table::admit(*plan, checker);
    // What was read before is paid for, so it is the page.
    if (!admitted.ok() && page.more && table::is_throttled(admitted.error())) co_return Result<void>();
    PARTITA_CO_TRY_VOID(std::move(admitted));
    PARTITA_CO_TRY(api::RangeReply one, co_await table::run(context.database, *plan));
    table::charge(*plan, one, checker);
    page.consumed.table = one.consumed.table;
    page.consumed.add(one.consumed);
    page.scanned += one.scanned;
    page.at.start = std::move(one.last_key);
    page.pages.push_back(std::move(one));
    page.more = page.at.start.has_value();
    if (page.more) co_return Result<void>();
  }
  co_return Result<void>();
}

class StatementExecution final : public Execution {
 public:
  explicit StatementExecution(StatementRequest request) : request_(std::move(request)) {}

  Task<Result<void>> run(const Context& context) override {
    RequestAuthorizer checker(context, request_.options.capacity);
    if (request_.statement.reads()) co_return co_await select(context, checker);
    const StatementWrite options{request_.options.capacity, request_.return_item_on_failure};
    outcome_ = co_await run_write(context, checker, request_.statement, options);
    if (outcome_.error) co_return *outcome_.error;
    co_return Result<void>();
  }
  void visit_names(VisitName visit) override { visit_named(request_.statement, visit); }

  template <class Codec>
  static Task<Result<std::string>> encode(const StatementExecution& done, const Context& /*context*/) {
    return done.request_.statement.reads() ? Codec::encode_page(done.request_, done.page_)
                                           : Codec::encode_change(done.request_, done.outcome_);
  }

 private:
  Task<Result<void>> select(const Context& context, RequestAuthorizer& checker) {
    page_.at = request_.from;
    const auto word = [&](Error error) { return worded(checker, request_.statement, std::move(error)); };
    for (int tries = 1;; ++tries) {
      auto done = co_await try_select(context, checker, request_, page_);
      if (done.ok()) co_return done;
      Error error = std::move(done).error();
      PARTITA_CO_TRY(const bool again, co_await tries_again(context, checker, error, tries, word));
      if (!again) co_return error;
    }
  }

  const StatementRequest request_;
  Selected page_;             // of a SELECT
  StatementOutcome outcome_;  // of the others
};

struct ExecuteStatement {
  using Execution = StatementExecution;
  using Request = StatementRequest;

  static Result<Request> decode(const Members& in) {
    PARTITA_TRY(const partiql::Parameters parameters, decode_parameters(in));
    Request request;
    PARTITA_TRY(request.statement, partiql::Statement::parse(in.text(Field::kStatement), parameters));
    if (request.statement.kind == partiql::Statement::Kind::kExists) return refuse(Fault::kPartiqlExistsAlone);
    request.options.consistent = in.flag(Field::kConsistentRead);
    request.options.capacity = capacity_detail(in);
    if (const auto limit = in.integer(Field::kLimit)) request.limit = static_cast<uint64_t>(*limit);
    request.return_item_on_failure = returns_item_on_failure(in);
    request.digest = digest(in[Field::kStatement]) + digest(in[Field::kParameters]);
    if (!in.has(Field::kNextToken)) return request;
    if (!request.statement.reads()) return refuse(Fault::kPartiqlTokenInvalid);
    PARTITA_TRY(request.from, position_of_token(in.text(Field::kNextToken), request.digest));
    return request;
  }

  static Task<Result<std::string>> encode_page(const StatementRequest& request, const Selected& page) {
    size_t bytes = 512;
    for (const auto& one : page.pages) bytes += one.bytes + one.bytes / 4;
    wire::JsonWriter json(bytes);
    json.begin_object();
    json.begin_array("Items");
    for (const auto& one : page.pages) PARTITA_CO_TRY_VOID(co_await write_items(json, one.items));
    json.end_array();
    if (page.more) {
      json.member("NextToken", token_of(request.digest, page.at));
      if (page.at.start) {
        json.key("LastEvaluatedKey");
        json.write_item(*page.at.start);
      }
    }
    write_capacity_member(json, page.consumed, request.options.capacity);
    json.end_object();
    co_return std::move(json).take();
  }

  static Task<Result<std::string>> encode_change(const StatementRequest& request, const StatementOutcome& outcome) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_array("Items");
    if (outcome.item) PARTITA_CO_TRY_VOID(write_found(json, *outcome.item));
    json.end_array();
    write_capacity_member(json, *outcome.consumed, request.options.capacity);
    json.end_object();
    co_return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec execute_statement = json_codec<ExecuteStatement>(wire::shapes::kExecuteStatement);

}  // namespace partita::ops
