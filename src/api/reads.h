// Requests that read items: GetItem, BatchGetItem, TransactGetItems, Query and Scan.
//
// A request struct holds what was asked, decoded, and nothing of any table. It is the same whether it came from an SDK
// call, from legacy parameters or from a PartiQL statement. `table::bind()` checks it against a table's description and
// makes a plan; it does not change the request, which can be bound again after a change of the description.
//
// Requests own their data. They are plain values: one thread at a time may change one, any number may read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/options.h"
#include "expr/condition.h"
#include "expr/projection.h"
#include "model/value.h"

namespace partita::api {

struct GetRequest {
  std::string table;  // a name or an ARN
  model::Item key;
  std::optional<expr::Projection> projection;
  bool consistent = false;
  CapacityDetail capacity = CapacityDetail::kNone;
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

struct TransactGetRequest {
  struct Part {
    std::string table;  // a name or an ARN
    model::Item key;
    std::optional<expr::Projection> projection;
  };
  std::vector<Part> parts;
  CapacityDetail capacity = CapacityDetail::kNone;
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

}  // namespace partita::api
