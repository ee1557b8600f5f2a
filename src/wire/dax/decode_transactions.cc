// TransactGetItems and TransactWriteItems, which come as columns: all tables, then all keys and so on.
#include <vector>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "wire/dax/arguments.h"
#include "wire/dax/expression.h"
#include "wire/dax/request.h"
#include "wire/name_rules.h"

namespace partita::wire::dax {
namespace {

using model::Fault;
using model::refuse;
using WriteKind = api::WriteAction::Kind;

constexpr uint32_t kTransactWriteKeywords = keywords(Keyword::kCapacity, Keyword::kCollectionMetrics, Keyword::kToken);
constexpr int64_t kLongestToken = 36;

// One array among the arguments, read beside the others. Null stands for as many nulls as are needed.
class Column {
 public:
  // Moves `in` behind it.
  explicit Column(CborReader& in) : in_({}) {
    if (in.take_null()) return;
    in_ = CborReader(in.rest());
    left_ = in_.array();
    absent_ = false;
    in.skip();
    if (!in_.ok()) in.fail();
  }

  bool next() { return !absent_ && in_.next(left_); }
  bool absent() const { return absent_; }
  bool ok() const { return absent_ || in_.ok(); }
  CborReader& in() { return in_; }

 private:
  CborReader in_;
  CborReader::Members left_;
  bool absent_ = true;
};

Error uneven() { return malformed_request("the arrays of a transaction are not of one length"); }

Result<std::optional<std::string_view>> next_bytes(Column& column) {
  std::optional<std::string_view> bytes;
  if (column.absent()) return bytes;
  if (!column.next()) return uneven();
  return take_optional_bytes(column.in());
}

Result<std::string_view> next_key(Column& column) {
  if (!column.next()) return uneven();
  const std::string_view key = column.in().bytes();
  if (!column.ok()) return missing_arguments();
  return key;
}

// A table and a key, with what else there may be; views of the request.
struct Access {
  std::string_view table;
  std::string_view key;
  std::optional<std::string_view> projection;  // of a read
  WriteKind kind = WriteKind::kPut;            // of a write, as all below
  std::optional<std::string_view> values;
  std::optional<std::string_view> condition;
  std::optional<std::string_view> update;
  bool return_item_on_failure = false;
};

bool fit_shape(const std::vector<Access>& accesses) {
  if (accesses.empty() || accesses.size() > model::kMaxTransactionActions) return false;
  for (const Access& access : accesses) {
    if (!is_item_table(access.table)) return false;
    if (access.kind == WriteKind::kUpdate && !access.update) return false;
    if (access.kind == WriteKind::kCheck && !access.condition) return false;
  }
  return true;
}

std::string_view member_of(WriteKind kind) {
  switch (kind) {
    case WriteKind::kPut:
      return "Put";
    case WriteKind::kUpdate:
      return "Update";
    case WriteKind::kDelete:
      return "Delete";
    case WriteKind::kCheck:
      return "ConditionCheck";
  }
  return "";
}

// The faults of the list and of what is in it, as JSON has them.
Result<void> check_accesses(const std::vector<Access>& accesses, std::optional<std::string_view> token,
                            const Shape& shape) {
  const bool token_fits = !token || (!token->empty() && length_of(*token) <= kLongestToken);
  if (token_fits && fit_shape(accesses)) return {};
  JsonWriter body;
  body.begin_object();
  if (token) body.member("ClientRequestToken", *token);
  body.begin_array("TransactItems");
  for (const Access& access : accesses) {
    if (!is_utf8(access.table)) return malformed_request("the name of a table is not UTF-8");
    body.begin_object();
    body.begin_object(&shape == &shapes::kTransactGetItems ? "Get" : member_of(access.kind));
    body.member("TableName", access.table);
    body.begin_object(access.kind == WriteKind::kPut && &shape != &shapes::kTransactGetItems ? "Item" : "Key");
    body.end_object();
    if (access.update) body.member("UpdateExpression", "");
    if (access.condition) body.member("ConditionExpression", "");
    body.end_object();
    body.end_object();
  }
  body.end_array();
  body.end_object();
  return check_parameters(body, shape);
}

// One more than is allowed is enough to refuse them.
bool are_enough(const std::vector<Access>& accesses) { return accesses.size() > model::kMaxTransactionActions; }

Result<std::vector<Access>> take_reads(CborReader& in) {
  Column tables(in);
  Column keys(in);
  Column projections(in);
  if (!in.ok()) return missing_arguments();
  std::vector<Access> reads;
  while (!are_enough(reads) && tables.next()) {
    Access& read = reads.emplace_back();
    PARTITA_TRY(read.table, take_table(tables.in()));
    PARTITA_TRY(read.key, next_key(keys));
    PARTITA_TRY(read.projection, next_bytes(projections));
  }
  if (!tables.ok()) return missing_arguments();
  if (!are_enough(reads) && (keys.next() || projections.next())) return uneven();
  return reads;
}

Result<WriteKind> kind_of(int64_t operation) {
  switch (operation) {
    case 2:
      return WriteKind::kPut;
    case 7:
      return WriteKind::kDelete;
    case 9:
      return WriteKind::kUpdate;
    case 12:
      return WriteKind::kCheck;
    default:
      return refuse(Fault::kDaxUnsupported, {"Action " + std::to_string(operation) + " in a transaction"});
  }
}

// ReturnValuesOnConditionCheckFailure, null for none.
Result<bool> next_on_failure(Column& column) {
  if (column.absent()) return false;
  if (!column.next()) return uneven();
  if (column.in().take_null()) return false;
  const int64_t number = column.in().integer();
  if (!column.ok()) return missing_arguments();
  if (number == 1 || number == 2) return number == 2;
  return refuse(Fault::kDaxUnsupported,
                {"Value " + std::to_string(number) + " of ReturnValuesOnConditionCheckFailure"});
}

Result<std::vector<Access>> take_changes(CborReader& in) {
  Column operations(in);
  Column tables(in);
  Column keys(in);
  Column values(in);
  if (!in.take_null()) return refuse(Fault::kDaxUnsupported, {"ReturnValues in a transaction"});
  Column on_failure(in);
  Column conditions(in);
  Column updates(in);
  if (!in.ok()) return missing_arguments();
  std::vector<Access> writes;
  while (!are_enough(writes) && operations.next()) {
    Access& write = writes.emplace_back();
    PARTITA_TRY(write.kind, kind_of(operations.in().integer()));
    if (!tables.next()) return uneven();
    PARTITA_TRY(write.table, take_table(tables.in()));
    PARTITA_TRY(write.key, next_key(keys));
    PARTITA_TRY(write.values, next_bytes(values));
    PARTITA_TRY(write.return_item_on_failure, next_on_failure(on_failure));
    PARTITA_TRY(write.condition, next_bytes(conditions));
    PARTITA_TRY(write.update, next_bytes(updates));
    if (write.values.has_value() != (write.kind == WriteKind::kPut)) {
      return malformed_request("an action of a transaction has values, or has none, other than its kind");
    }
    if (write.update && write.kind != WriteKind::kUpdate) {
      return malformed_request("an action of a transaction has an update but is none");
    }
  }
  if (!operations.ok()) return missing_arguments();
  if (are_enough(writes)) return writes;
  for (Column* column : {&tables, &keys, &values, &on_failure, &conditions, &updates}) {
    if (column->next()) return uneven();
  }
  return writes;
}

Result<void> transact_get_request(CborReader& in, Decoding& decoding, api::TransactGetRequest& request) {
  PARTITA_TRY(const auto reads, take_reads(in));
  Keywords given;
  PARTITA_TRY_VOID(given.read(in, mask_of(Keyword::kCapacity)));
  PARTITA_TRY_VOID(check_accesses(reads, std::nullopt, shapes::kTransactGetItems));
  request.parts.reserve(reads.size());
  for (const Access& read : reads) {
    api::TransactGetRequest::Part& part = request.parts.emplace_back();
    PARTITA_TRY(part.key, take_key(read.key, decoding.tables.find(read.table)));
    if (read.projection) {
      PARTITA_TRY(part.projection, read_projection(*read.projection, &decoding.memory));
    }
    part.table = read.table;
  }
  PARTITA_TRY(request.capacity, given.capacity());
  return {};
}

// Appends to `canonical`, if it is not null, what two equal actions have in common.
Result<void> take_action(const Access& write, Decoding& decoding, std::string* canonical, api::WriteAction& action) {
  const model::KeySchema* const schema = decoding.tables.find(write.table);
  action.kind = write.kind;
  action.return_item_on_failure = write.return_item_on_failure;
  // Measured: an item's values come before the expressions, a key's behind them.
  if (write.kind == WriteKind::kPut) {
    PARTITA_TRY_VOID(take_item(write.key, *write.values, schema, decoding, action));
    if (!decoding.missing.empty()) return {};
    PARTITA_TRY_VOID(api::check_item_size(api::named_bytes(action)));
  }
  if (write.update) {
    if (canonical != nullptr) canonical->push_back('!');
    PARTITA_TRY(action.update, read_update(*write.update, &decoding.memory, Nesting::kAlone, canonical));
  }
  if (write.condition) {
    if (canonical != nullptr) canonical->push_back('?');
    const auto kind = expr::ExpressionKind::kCondition;
    PARTITA_TRY(action.condition, read_condition(*write.condition, kind, &decoding.memory, Nesting::kAlone, canonical));
  }
  if (write.kind != WriteKind::kPut) {
    PARTITA_TRY(action.key, take_key(write.key, schema));
  }
  if (canonical == nullptr) return {};
  canonical->push_back(static_cast<char>('0' + static_cast<int>(write.kind)));
  canonical->push_back(write.return_item_on_failure ? '1' : '0');
  append_sized(*canonical, write.table);
  append_sized(*canonical, write.kind == WriteKind::kPut ? action.item : model::encode_item(action.key));
  return {};
}

// Of what a repeated request has to have in common with the first one. Bytes alone would not do: clients write the
// members of a map in any order.
std::string digest_of(std::string_view canonical) {
  std::string digest;
  append_u64(digest, hash64(canonical));
  append_u64(digest, hash64("partita" + std::string(canonical)));
  return digest;
}

Result<void> transact_write_request(CborReader& in, Decoding& decoding, api::TransactWriteRequest& request) {
  PARTITA_TRY(const auto writes, take_changes(in));
  Keywords given;
  PARTITA_TRY_VOID(given.read(in, kTransactWriteKeywords));
  PARTITA_TRY(const auto token, given.text(Keyword::kToken));
  PARTITA_TRY_VOID(check_accesses(writes, token, shapes::kTransactWriteItems));
  std::string canonical;
  request.parts.reserve(writes.size());
  for (const Access& write : writes) {
    api::TransactWriteRequest::Part& part = request.parts.emplace_back();
    part.table = write.table;
    PARTITA_TRY_VOID(take_action(write, decoding, token ? &canonical : nullptr, part.action));
  }
  if (!decoding.missing.empty()) return {};
  PARTITA_TRY_VOID(api::check_total_size(request));
  if (token) {
    request.token = *token;
    request.digest = digest_of(canonical);
  }
  PARTITA_TRY(request.capacity, given.capacity());
  PARTITA_TRY(request.wants_collection_bytes, given.wants_collection_bytes());
  return {};
}

}  // namespace

Result<api::TransactGetRequest> decode_transact_get(CborReader& in, Decoding& decoding) {
  return decode_as(shapes::kTransactGetItems, transact_get_request, in, decoding);
}

Result<api::TransactWriteRequest> decode_transact_write(CborReader& in, Decoding& decoding) {
  return decode_as(shapes::kTransactWriteItems, transact_write_request, in, decoding);
}

}  // namespace partita::wire::dax
