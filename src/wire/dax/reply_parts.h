// What several replies have: keys, capacity, item collection metrics. For one thread.
#pragma once

#include <string_view>
#include <vector>

#include "api/capacity.h"
#include "api/options.h"
#include "api/writes.h"
#include "base/result.h"
#include "model/key.h"
#include "wire/cbor.h"
#include "wire/dax/request.h"

namespace partita::wire::dax {

// The members of replies of operations on items, in the order of their numbers.
enum class ReplyKey : uint8_t {
  kItem = 0,
  kConsumedCapacity = 1,
  kAttributes = 2,
  kItemCollectionMetrics = 3,
  kItems = 7,
  kCount = 8,
  kLastEvaluatedKey = 9,
  kScannedCount = 10,
};
inline void write_key_of(CborWriter& out, ReplyKey key) { out.integer(static_cast<int64_t>(key)); }

// The empty array that begins a reply without an error.
inline void write_success(CborWriter& out) { out.array(0); }

// Fault: kTableNotFound.
Result<const model::KeySchema*> schema_of(TableSchemas& tables, std::string_view table);

// The key of an item as a byte string. Fault: kKeySchemaMismatch if it has none.
Result<void> write_checked_key(CborWriter& out, const model::Item& item, const model::KeySchema& schema);

// ConsumedCapacity as a byte string; in replies of transactions it is a map, which also has the read or write units.
void write_capacity(CborWriter& out, const api::ConsumedCapacity& consumed, api::CapacityDetail detail);
enum class TransactionKind : uint8_t { kRead, kWrite };
void write_transaction_capacity(CborWriter& out, const api::ConsumedCapacity& consumed, api::CapacityDetail detail,
                                TransactionKind kind);

// The sums by table of what the writes consumed; empty if it was not requested.
std::vector<api::ConsumedCapacity> sums_by_table(const api::WritesReply& reply, api::CapacityDetail detail);

// One structure as a byte string.
void write_collection(CborWriter& out, const api::ItemCollection& collection);
// A map from tables to arrays of them. `collections` are sorted by table.
void write_collections(CborWriter& out, const std::vector<api::ItemCollection>& collections);

}  // namespace partita::wire::dax
