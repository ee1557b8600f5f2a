// Operations that read items: GetItem, BatchGetItem, TransactGetItems, Query and Scan.
//
// A request struct holds what was asked, decoded, and nothing of any table. It is the same whether it came from an SDK
// call, from legacy parameters or from a PartiQL statement. `table::bind()` checks it against a table's description and
// makes a plan; it does not change the request, which can be bound again after a change of the description.
//
// A reply holds what any codec needs beside the request; no plan and no description of a table. A consumed capacity has
// a view of the table's name, which the execution keeps (ops/execution.h), so the reply is valid as long as that.
//
// Requests own their data. Both are plain values: one thread at a time may change one, any number may read it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/capacity.h"
#include "api/options.h"
#include "base/result.h"
#include "expr/condition.h"
#include "expr/projection.h"
#include "model/value.h"

namespace partita::api {

// An item as it is stored (see model/item_codec.h), or what a projection left of it. The reply keeps what a view points
// to.
using FoundItem = std::variant<std::string, model::Item, std::string_view>;

struct ReadItem {
  std::optional<FoundItem> item;  // absent: there is no item of that key
  size_t bytes = 0;               // of the whole item; 0 if absent
  size_t charged = 0;             // the same, as it is charged: without vectors that an index stores
};

// Whether TransactGetItems has the item in its reply: a projection that selects nothing of an item leaves none there.
bool is_shown(const ReadItem& read);

struct GetRequest {
  std::string table;  // a name or an ARN
  model::Item key;
  std::optional<expr::Projection> projection;
  bool consistent = false;
  CapacityDetail capacity = CapacityDetail::kNone;
};

struct GetReply {
  ReadItem read;
  ConsumedCapacity consumed;
};

struct BatchGetRequest {
  struct Part {
    std::string table;  // a name or an ARN
    std::vector<model::Item> keys;
    std::optional<expr::Projection> projection;
    bool consistent = false;
  };
  std::vector<Part> parts;
  CapacityDetail capacity = CapacityDetail::kNone;
};

struct BatchGetReply {
  struct Part {
    std::vector<ReadItem> items;      // in the order of the request's keys; of two equal keys, the second is left out
    std::vector<size_t> unprocessed;  // the indexes of the keys that did not fit into 16 MB
    ConsumedCapacity consumed;
  };
  std::vector<Part> parts;  // one for each part of the request
};

struct TransactGetRequest {
  struct Part {
    std::string table;  // a name or an ARN
    model::Item key;
    std::optional<expr::Projection> projection;
  };
  std::vector<Part> parts;
  CapacityDetail capacity = CapacityDetail::kNone;
};

struct TransactGetReply {
  std::vector<ReadItem> items;             // one for each part, in order, all from one moment
  std::vector<ConsumedCapacity> consumed;  // one for each part
};

// One of `total` equal parts of a parallel scan.
struct Segment {
  uint32_t index = 0;
  uint32_t total = 1;
};

// Query or Scan.
struct RangeRequest {
  std::string table;                    // a name or an ARN
  std::optional<std::string> index;     // IndexName
  std::optional<expr::Condition> keys;  // of a Query, checked by expr::check_key_condition(); absent for a Scan
  Segment segment;                      // of a Scan
  bool forward = true;
  std::optional<uint64_t> limit;     // items to evaluate, before the filter
  std::optional<model::Item> start;  // ExclusiveStartKey
  std::optional<expr::Condition> filter;
  bool legacy_filter = false;  // the filter came from QueryFilter, whose faults have texts of their own
  std::optional<expr::Projection> projection;
  Select select = Select::kDefault;
  bool consistent = false;
  // From PartiQL: the filter may name keys, and on an index it sees only projected attributes.
  bool of_statement = false;
  CapacityDetail capacity = CapacityDetail::kNone;
};

struct RangeReply {
  std::vector<FoundItem> items;                     // empty if only counted
  std::vector<std::shared_ptr<const void>> owners;  // of what the views among the items point to
  size_t bytes = 0;                                 // of the items as they are stored, about
  uint64_t count = 0;                               // items that passed the filter
  uint64_t scanned = 0;                             // items evaluated
  std::optional<model::Item> last_key;              // LastEvaluatedKey
  ConsumedCapacity consumed;
};

// Checks that need no table; see writes.h.

// Whether Select fits to what else says which parts of an item to return. `word`: Select as the request has it.
// `projected_by`: the parameter with a projection; empty: there is none. `indexed`: the request names an index.
// Faults: the kSelect... ones that need no table.
Result<void> check_select(Select select, std::string_view word, std::string_view projected_by, bool indexed);
// Segment and TotalSegments, which are not negative. Faults: kSegmentWithoutTotal, kTotalWithoutSegment,
// kSegmentTooLarge.
Result<Segment> make_segment(std::optional<int64_t> index, std::optional<int64_t> total);

}  // namespace partita::api
