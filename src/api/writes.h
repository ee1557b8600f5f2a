// Operations that write items: PutItem, UpdateItem, DeleteItem, BatchWriteItem and TransactWriteItems. See reads.h for
// what holds for all requests and replies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/capacity.h"
#include "api/options.h"
#include "base/result.h"
#include "expr/condition.h"
#include "expr/update.h"
#include "model/value.h"

namespace partita::api {

// A change of one item, or a check of one.
struct WriteAction {
  enum class Kind : uint8_t { kPut, kUpdate, kDelete, kCheck };
  Kind kind = Kind::kPut;
  std::string item;  // of kPut: the whole item, as model::encode_item() writes it
  model::Item key;   // of all others
  expr::Update update;
  std::optional<expr::Condition> condition;
  bool return_item_on_failure = false;  // a failed condition carries the item, see model/fault_detail.h
  bool wants_before = false;            // the item as it was before is needed for the reply
  bool by_service = false;              // a deletion by TTL
};

// PutItem, UpdateItem or DeleteItem, by the kind of its action (never kCheck).
struct WriteRequest {
  std::string table;  // a name or an ARN
  WriteAction action;
  ReturnValues returned = ReturnValues::kNone;
  CapacityDetail capacity = CapacityDetail::kNone;
  bool wants_collection_bytes = false;  // ReturnItemCollectionMetrics
};

// What one write did.
struct Written {
  bool existed = false;               // the item was there before
  std::optional<model::Item> before;  // see WriteAction::wants_before
  std::optional<model::Item> after;   // of an update; absent if no item is there afterwards
  ConsumedCapacity consumed;
};

// ItemCollectionMetrics of a table with local indexes.
struct ItemCollection {
  std::string table;  // its name
  model::Item key;    // its partition key
  uint64_t bytes;     // an estimate
};

// SizeEstimateRangeGB.
struct SizeRange {
  double lower = 0;
  double upper = 0;
};
SizeRange size_range(const ItemCollection& collection);

struct WriteReply {
  Written written;
  std::optional<ItemCollection> collection;  // if it was wanted and the table limits its collections
};

// The item that ReturnValues requests, or null. It is in `written`; a part of an item is made in `touched`.
const model::Item* returned_item(ReturnValues wanted, const expr::Update& update, const Written& written,
                                 model::Item& touched);

struct BatchWriteRequest {
  struct Part {
    std::string table;                 // a name or an ARN
    std::vector<WriteAction> actions;  // kPut and kDelete, without conditions
  };
  std::vector<Part> parts;
  CapacityDetail capacity = CapacityDetail::kNone;
  bool wants_collection_bytes = false;  // ReturnItemCollectionMetrics
};

struct TransactWriteRequest {
  struct Part {
    std::string table;  // a name or an ARN
    WriteAction action;
  };
  std::vector<Part> parts;
  std::string token;   // ClientRequestToken; empty: none
  std::string digest;  // of the request; identifies the request of a repeated token
  CapacityDetail capacity = CapacityDetail::kNone;
  bool wants_collection_bytes = false;  // ReturnItemCollectionMetrics
};

// Of BatchWriteItem and TransactWriteItems.
struct WritesReply {
  // One for each write, in order, without the items. Of a batch those in `unprocessed` may be left out, or be without a
  // table in `consumed`.
  std::vector<Written> written;
  // Of a batch, never of all of it: what was not written, because there was no capacity or a table was changed
  // meanwhile. Positions among the actions of all parts, ascending.
  std::vector<size_t> unprocessed;
  // The request of the same token was carried out before: nothing was written now, and the charges are those of reading
  // the items.
  bool repeated = false;
  std::vector<ItemCollection> collections;  // if they were wanted, in the order of table and key
};

// Checks that need no table, for the decoders of requests: DynamoDB makes them before it looks for tables.

// The limit of 400 KB of one item. Fault: kItemTooLarge.
Result<void> check_item_size(size_t bytes);
// The size of the action's item or key, as DynamoDB counts it. Precondition: the item of a kPut is sound.
size_t named_bytes(const WriteAction& action);
// The limit of 4 MB for the items and keys of a transaction together. Fault: kTransactionTooLarge.
Result<void> check_total_size(const TransactWriteRequest& request);

}  // namespace partita::api
