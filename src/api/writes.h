// Requests that write items: PutItem, UpdateItem, DeleteItem, BatchWriteItem and TransactWriteItems. See reads.h for
// what holds for all requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/options.h"
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

}  // namespace partita::api
