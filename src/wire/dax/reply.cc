#include "wire/dax/reply.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "model/fault.h"
#include "wire/dax/reply_parts.h"
#include "wire/dax/value.h"

namespace partita::wire::dax {

using api::Capacity;
using api::CapacityDetail;
using api::ConsumedCapacity;

namespace {

using IndexCapacity = std::map<std::string, Capacity, std::less<>>;

// The members of a transaction's ConsumedCapacity, and of the structures in it, which have the first three.
enum class CapacityKey : uint8_t {
  kUnits = 1,
  kReadUnits = 2,
  kWriteUnits = 3,
  kTableName = 4,
  kTable = 5,
  kGlobalIndexes = 6,
  kLocalIndexes = 7,
};

double units_of(const Capacity& capacity) { return static_cast<double>(capacity.total()) / 2; }

void write_units(CborWriter& out, CapacityKey key, const Capacity& capacity) {
  out.integer(static_cast<int64_t>(key));
  out.number(units_of(capacity));
}

void write_shares(CborWriter& out, const Capacity& capacity, TransactionKind kind) {
  write_units(out, CapacityKey::kUnits, capacity);
  write_units(out, kind == TransactionKind::kRead ? CapacityKey::kReadUnits : CapacityKey::kWriteUnits, capacity);
}

void write_share_map(CborWriter& out, const Capacity& capacity, TransactionKind kind) {
  out.map(2);
  write_shares(out, capacity, kind);
}

void write_indexes(CborWriter& out, const IndexCapacity& indexes, CapacityDetail detail) {
  if (detail != CapacityDetail::kIndexes || indexes.empty()) return out.null();
  out.map(indexes.size());
  for (const auto& [name, capacity] : indexes) {
    out.text(name);
    out.number(units_of(capacity));
  }
}

void write_index_shares(CborWriter& out, CapacityKey key, const IndexCapacity& indexes, TransactionKind kind) {
  if (indexes.empty()) return;
  out.integer(static_cast<int64_t>(key));
  out.map(indexes.size());
  for (const auto& [name, capacity] : indexes) {
    out.text(name);
    write_share_map(out, capacity, kind);
  }
}

// A byte string of a few dozen bytes, which `write` writes.
template <class Write>
void write_as_bytes(CborWriter& out, Write write) {
  constexpr size_t kUsualHead = 2;
  const size_t at = out.size();
  out.wrote(out.room(kUsualHead) + kUsualHead);
  write();
  std::array<char, kMaxCborHeadBytes> head;
  const char* const end = write_cbor_head(head.data(), CborMajor::kBytes, out.size() - at - kUsualHead);
  put_before(out, at, kUsualHead, {head.data(), static_cast<size_t>(end - head.data())});
}

}  // namespace

Result<const model::KeySchema*> schema_of(TableSchemas& tables, std::string_view table) {
  const model::KeySchema* const schema = tables.find(table);
  if (schema == nullptr) return model::refuse(model::Fault::kTableNotFound, {std::string(table)});
  return schema;
}

Result<void> write_checked_key(CborWriter& out, const model::Item& item, const model::KeySchema& schema) {
  const auto has = [&item](const model::KeyElement& element) {
    const model::AttributeValue* const value = item.find(element.name);
    return value != nullptr && value->type() == element.type;
  };
  if (!std::ranges::all_of(schema.partition, has) || !std::ranges::all_of(schema.sort, has)) {
    return model::refuse(model::Fault::kKeySchemaMismatch);
  }
  write_key(out, item, schema);
  return {};
}

void write_capacity(CborWriter& out, const ConsumedCapacity& consumed, CapacityDetail detail) {
  write_as_bytes(out, [&] {
    out.text(consumed.table);
    out.number(units_of(consumed.total()));
    if (detail == CapacityDetail::kIndexes) {
      out.number(units_of(consumed.base));
    } else {
      out.null();
    }
    write_indexes(out, consumed.global_indexes, detail);
    write_indexes(out, consumed.local_indexes, detail);
  });
}

void write_transaction_capacity(CborWriter& out, const ConsumedCapacity& consumed, CapacityDetail detail,
                                TransactionKind kind) {
  out.begin_map();
  write_shares(out, consumed.total(), kind);
  out.integer(static_cast<int64_t>(CapacityKey::kTableName));
  out.text(consumed.table);
  if (detail == CapacityDetail::kIndexes) {
    out.integer(static_cast<int64_t>(CapacityKey::kTable));
    write_share_map(out, consumed.base, kind);
    write_index_shares(out, CapacityKey::kGlobalIndexes, consumed.global_indexes, kind);
    write_index_shares(out, CapacityKey::kLocalIndexes, consumed.local_indexes, kind);
  }
  out.end();
}

std::vector<ConsumedCapacity> sums_by_table(const api::WritesReply& reply, CapacityDetail detail) {
  std::vector<ConsumedCapacity> sums;
  if (detail == CapacityDetail::kNone) return sums;
  for (const auto& written : reply.written) {
    if (!written.consumed.table.empty()) add_by_table(sums, written.consumed);
  }
  return sums;
}

void write_collection(CborWriter& out, const api::ItemCollection& collection) {
  const api::SizeRange range = api::size_range(collection);
  write_as_bytes(out, [&] {
    write_value(out, collection.key.begin()->value);
    out.number(range.lower);
    out.number(range.upper);
  });
}

void write_collections(CborWriter& out, const std::vector<api::ItemCollection>& collections) {
  const auto ends = [&](auto begin) {
    return std::find_if(begin, collections.end(), [&](const auto& other) { return other.table != begin->table; });
  };
  size_t tables = 0;
  for (auto it = collections.begin(); it != collections.end(); it = ends(it)) ++tables;
  out.map(tables);
  for (auto it = collections.begin(); it != collections.end();) {
    const auto end = ends(it);
    out.text(it->table);
    out.array(static_cast<size_t>(end - it));
    for (; it != end; ++it) write_collection(out, *it);
  }
}

void encode_key_schema(CborWriter& out, const model::KeySchema& schema) {
  write_success(out);
  out.map(schema.partition.size() + schema.sort.size());
  for (const auto* elements : {&schema.partition, &schema.sort}) {
    for (const auto& element : *elements) {
      out.text(element.name);
      out.text(model::type_name(element.type));
    }
  }
}

void encode_list_id(CborWriter& out, uint64_t id) {
  write_success(out);
  out.head(CborMajor::kUnsigned, id);
}

void encode_list(CborWriter& out, const model::AttributeList& list) {
  write_success(out);
  out.array(list.names.size());
  for (const auto& name : list.names) out.text(name);
}

}  // namespace partita::wire::dax
