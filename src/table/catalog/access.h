// What one part of a request is about to touch, for whoever decides over requests before they run and counts them
// afterwards: authorisation, throttling, metering.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/condition.h"
#include "expr/key_condition.h"
#include "expr/projection.h"
#include "expr/update.h"
#include "table/catalog/request.h"
#include "table/rows/capacity.h"
#include "table/rows/schema.h"

namespace partita::table {

struct Tag;

// What is done to an item or a range of them, or, kControl, to a table as such.
enum class Verb : uint8_t { kGet, kPut, kUpdate, kDelete, kCheck, kQuery, kScan, kSearch, kControl };

// Everything in it is a view of a plan and of its request, null where there is none of it.
struct Access {
  Verb verb = Verb::kGet;
  std::string_view name;                  // of the table; empty for what concerns all of them
  const TableInfo* table = nullptr;       // null for kControl
  const IndexInfo* index = nullptr;       // null: the table itself
  const model::Item* item = nullptr;      // the key that is named, with more of the item or without
  std::string_view stored;                // the whole item that is put, as it is encoded
  const expr::KeyRange* range = nullptr;  // the keys that a Query reads
  const expr::Condition* keys = nullptr;  // what it asks of them
  const expr::Projection* projection = nullptr;
  const expr::Condition* condition = nullptr;  // or the filter
  const expr::Update* update = nullptr;
  Select select = Select::kDefault;
  ReturnValues returned = ReturnValues::kNone;
  bool returned_on_failure = false;  // the item, when the condition fails
  // Of kControl alone.
  const TableInfo* owner = nullptr;                     // the table, or that of the stream; null: it is not there
  uint32_t owner_id = 0;                                // its id, also when it is gone; 0: there never was one
  std::string_view index_name;                          // of the table's index that it is about
  std::string_view stream;                              // the label of the table's stream that it is about
  std::string_view global_table;                        // the global table that it is about; then no table is named
  const std::vector<Tag>* tags = nullptr;               // that are given to the table
  const std::vector<std::string>* tag_names = nullptr;  // that are taken from it

  // The values of the partition key that are touched, in the schema's order; empty for a Scan, which touches all.
  std::vector<const model::AttributeValue*> leading_keys() const;
  // The distinct top-level attributes that the request names, sorted.
  std::vector<std::string> attributes() const;
};

// The one choke point of all requests. Lives as long as a request; called on its thread.
class AccessChecker {
 public:
  virtual ~AccessChecker() = default;
  // Called before anything runs, and again whenever the request was bound again. What it refuses with is the answer.
  virtual Result<void> admit(const Access& access) = 0;
  // Called for what was carried out, whether the client asked for its cost or not.
  virtual void charge(const Access& access, const ConsumedCapacity& consumed) = 0;
};

}  // namespace partita::table
