// BatchGetItem and BatchWriteItem.
#include <algorithm>
#include <vector>

#include "model/fault.h"
#include "model/limits.h"
#include "wire/dax/arguments.h"
#include "wire/dax/expression.h"
#include "wire/dax/request.h"
#include "wire/name_rules.h"

namespace partita::wire::dax {
namespace {

using model::Fault;
using model::refuse;

constexpr uint32_t kBatchWriteKeywords = keywords(Keyword::kCapacity, Keyword::kCollectionMetrics);

// What a batch has for one table; views of the request.
struct TablePart {
  std::string_view table;
  bool consistent = false;  // of reads, as the next two
  std::optional<std::string_view> projection;
  std::vector<std::string_view> keys;
  std::vector<std::optional<std::string_view>> values;  // of writes: of each key; nullopt for a deletion
};

// One more than is allowed is enough to refuse it.
template <class Member>
Result<void> take_members(CborReader& in, size_t most, Member take) {
  size_t count = 0;
  for (auto members = in.array(); in.next(members);) {
    if (++count > most + 1) {
      in.skip();
      continue;
    }
    PARTITA_TRY_VOID(take());
  }
  if (!in.ok()) return missing_arguments();
  return {};
}

Result<void> take_gets(CborReader& in, TablePart& part) {
  auto members = in.array();
  if (!in.next(members)) return missing_arguments();
  PARTITA_TRY(part.consistent, take_flag(in));
  if (!in.next(members)) return missing_arguments();
  PARTITA_TRY(part.projection, take_optional_bytes(in));
  if (!in.next(members)) return missing_arguments();
  PARTITA_TRY_VOID(take_members(in, model::kMaxBatchGetKeys, [&]() -> Result<void> {
    part.keys.push_back(in.bytes());
    return {};
  }));
  if (in.next(members) || !in.ok()) return missing_arguments();
  return {};
}

Result<void> take_writes(CborReader& in, TablePart& part) {
  bool value_comes = false;
  PARTITA_TRY_VOID(take_members(in, 2 * model::kMaxBatchWrites + 1, [&]() -> Result<void> {
    if (value_comes) {
      PARTITA_TRY(const auto values, take_optional_bytes(in));
      part.values.push_back(values);
    } else {
      part.keys.push_back(in.bytes());
    }
    value_comes = !value_comes;
    return {};
  }));
  if (value_comes && part.keys.size() <= model::kMaxBatchWrites) return missing_arguments();
  return {};
}

Result<std::vector<TablePart>> take_parts(CborReader& in, Result<void> (*take)(CborReader&, TablePart&)) {
  std::vector<TablePart> parts;
  for (auto tables = in.map(); in.next(tables);) {
    if (parts.size() > model::kMaxBatchGetKeys) {
      in.skip();
      in.skip();
      continue;
    }
    TablePart& part = parts.emplace_back();
    PARTITA_TRY(part.table, take_table(in));
    PARTITA_TRY_VOID(take(in, part));
    const bool again =
        std::any_of(parts.begin(), parts.end() - 1, [&](const TablePart& other) { return other.table == part.table; });
    if (again) return malformed_request("a batch names a table twice");
  }
  if (!in.ok()) return missing_arguments();
  return parts;
}

bool fits_shape(const std::vector<TablePart>& parts, size_t most) {
  const auto fits = [most](const TablePart& part) {
    const bool named = is_arn(part.table) ? is_utf8(part.table) : is_table_name(part.table);
    return named && !part.keys.empty() && part.keys.size() <= most;
  };
  return !parts.empty() && parts.size() <= most && std::ranges::all_of(parts, fits);
}

// The faults of the map and of what is in it, as JSON has them.
Result<void> check_parts(const std::vector<TablePart>& parts, size_t most, const Shape& shape) {
  if (fits_shape(parts, most)) return {};
  const bool reads = &shape == &shapes::kBatchGetItem;
  JsonWriter body;
  body.begin_object();
  body.begin_object("RequestItems");
  for (const TablePart& part : parts) {
    if (!is_utf8(part.table)) return malformed_request("the name of a table is not UTF-8");
    body.key(part.table);
    if (reads) {
      body.begin_object();
      body.key("Keys");
    }
    body.begin_array();
    for (size_t i = 0; i < part.keys.size(); ++i) {
      body.begin_object();
      body.end_object();
    }
    body.end_array();
    if (reads) body.end_object();
  }
  body.end_object();
  body.end_object();
  return check_parameters(body, shape);
}

Result<void> check_total(const std::vector<TablePart>& parts, size_t most, std::string_view operation) {
  size_t total = 0;
  for (const TablePart& part : parts) total += part.keys.size();
  if (total > most) return refuse(Fault::kBatchTooManyItems, {std::string(operation)});
  return {};
}

Result<api::BatchGetRequest::Part> gets_of(const TablePart& given, Decoding& decoding) {
  api::BatchGetRequest::Part part;
  part.table = given.table;
  const model::KeySchema* const schema = decoding.tables.find(given.table);
  part.keys.reserve(given.keys.size());
  for (const std::string_view key : given.keys) {
    PARTITA_TRY(model::Item decoded, take_key(key, schema));
    part.keys.push_back(std::move(decoded));
  }
  if (given.projection) {
    PARTITA_TRY(part.projection, read_projection(*given.projection, &decoding.memory));
  }
  // As in JSON, two forms of one number are two keys.
  std::vector<std::string_view> sorted = given.keys;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return refuse(Fault::kBatchDuplicateKeys);
  part.consistent = given.consistent;
  return part;
}

Result<void> batch_get_request(CborReader& in, Decoding& decoding, api::BatchGetRequest& request) {
  PARTITA_TRY(const auto parts, take_parts(in, take_gets));
  Keywords given;
  PARTITA_TRY_VOID(given.read(in, mask_of(Keyword::kCapacity)));
  PARTITA_TRY_VOID(check_parts(parts, model::kMaxBatchGetKeys, shapes::kBatchGetItem));
  PARTITA_TRY_VOID(check_total(parts, model::kMaxBatchGetKeys, "BatchGetItem"));
  request.parts.reserve(parts.size());
  for (const TablePart& part : parts) {
    PARTITA_TRY(api::BatchGetRequest::Part decoded, gets_of(part, decoding));
    request.parts.push_back(std::move(decoded));
  }
  PARTITA_TRY(request.capacity, given.capacity());
  return {};
}

Result<api::WriteAction> batched_action(std::string_view key, std::optional<std::string_view> values,
                                        const model::KeySchema* schema, Decoding& decoding) {
  api::WriteAction action;
  if (values) {
    action.kind = api::WriteAction::Kind::kPut;
    PARTITA_TRY_VOID(take_item(key, *values, schema, decoding, action));
    if (decoding.missing.empty()) PARTITA_TRY_VOID(api::check_item_size(api::named_bytes(action)));
  } else {
    action.kind = api::WriteAction::Kind::kDelete;
    PARTITA_TRY(action.key, take_key(key, schema));
  }
  return action;
}

Result<void> batch_write_request(CborReader& in, Decoding& decoding, api::BatchWriteRequest& request) {
  PARTITA_TRY(const auto parts, take_parts(in, take_writes));
  Keywords given;
  PARTITA_TRY_VOID(given.read(in, kBatchWriteKeywords));
  PARTITA_TRY_VOID(check_parts(parts, model::kMaxBatchWrites, shapes::kBatchWriteItem));
  PARTITA_TRY_VOID(check_total(parts, model::kMaxBatchWrites, "BatchWriteItem"));
  request.parts.reserve(parts.size());
  for (const TablePart& part : parts) {
    api::BatchWriteRequest::Part& writes = request.parts.emplace_back();
    writes.table = part.table;
    writes.actions.reserve(part.keys.size());
    const model::KeySchema* const schema = decoding.tables.find(part.table);
    for (size_t i = 0; i < part.keys.size(); ++i) {
      PARTITA_TRY(api::WriteAction action, batched_action(part.keys[i], part.values[i], schema, decoding));
      writes.actions.push_back(std::move(action));
    }
  }
  PARTITA_TRY(request.capacity, given.capacity());
  PARTITA_TRY(request.wants_collection_bytes, given.wants_collection_bytes());
  return {};
}

}  // namespace

Result<api::BatchGetRequest> decode_batch_get(CborReader& in, Decoding& decoding) {
  return decode_as(shapes::kBatchGetItem, batch_get_request, in, decoding);
}

Result<api::BatchWriteRequest> decode_batch_write(CborReader& in, Decoding& decoding) {
  return decode_as(shapes::kBatchWriteItem, batch_write_request, in, decoding);
}

}  // namespace partita::wire::dax
