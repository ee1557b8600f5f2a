// What one part of a request accesses, for authorisation, throttling and metering.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/capacity.h"
#include "api/options.h"
#include "api/tables.h"
#include "base/result.h"
#include "expr/condition.h"
#include "expr/key_condition.h"
#include "expr/projection.h"
#include "expr/update.h"
#include "model/key.h"
#include "storage/engine.h"
#include "table/rows/schema.h"

namespace partita::table {

// The kind of access to an item or a range of items; kControl: to a table as such.
enum class Verb : uint8_t { kGet, kPut, kUpdate, kDelete, kCheck, kQuery, kScan, kSearch, kControl };

// Views of a plan and its request; null or empty where absent.
struct Access {
  Verb verb = Verb::kGet;
  std::string_view name;                  // of the table; empty for what concerns all of them
  const TableInfo* table = nullptr;       // null for kControl
  const IndexInfo* index = nullptr;       // null: the table itself
  const model::Item* item = nullptr;      // the key, perhaps with other attributes
  std::string_view position;              // of the item, or where the range begins: see row_position()
  std::string_view stored;                // of a put: the whole encoded item
  const expr::KeyRange* range = nullptr;  // the keys that a Query reads
  const expr::Condition* keys = nullptr;  // the key condition of a Query
  const expr::Projection* projection = nullptr;
  const expr::Condition* condition = nullptr;  // or the filter
  const expr::Update* update = nullptr;
  api::Select select = api::Select::kDefault;
  api::ReturnValues returned = api::ReturnValues::kNone;
  bool returned_on_failure = false;  // the item, when the condition fails
  // Of kControl alone.
  const TableInfo* owner = nullptr;                     // the table, or the stream's table; null: does not exist
  uint32_t owner_id = 0;                                // its id, also after its deletion; 0: it never existed
  std::string_view index_name;                          // the index concerned
  std::string_view stream;                              // the label of the stream concerned
  std::string_view other_name;                          // of a global table or of a cluster; `name` is empty then
  const std::vector<api::Tag>* tags = nullptr;          // to be added
  const std::vector<std::string>* tag_names = nullptr;  // to be removed

  // The values of the accessed partition key, in the schema's order; empty for a Scan.
  std::vector<const model::AttributeValue*> leading_keys() const;
  // The distinct top-level attributes that the request names, sorted.
  std::vector<std::string> attributes() const;
};

// The key of a row without the ids of its table and index: the hash of the partition key, the partition values, the
// sort values (docs/formats/keys.md).
inline std::string_view row_position(std::string_view key) { return key.substr(model::kRowIdBytes); }
inline std::string_view row_position(const storage::Key& key) { return row_position(std::string_view(key.bytes)); }

// What a write is about to change in global indexes.
struct IndexChange {
  const TableInfo& table;
  std::string_view position;  // of the item, as Access has it
  const api::ConsumedCapacity& consumed;
  std::span<const storage::Changes::Write> rows;  // among others, those of the indexes
};

// Whether it is an error of reserve() or check_indexes().
bool is_throttled(const Error& error);

// The one choke point of all requests. Lives as long as a request; called on its thread.
class AccessChecker {
 public:
  virtual ~AccessChecker() = default;
  // Called before anything runs, and again after each bind. Its error is the reply.
  virtual Result<void> admit(const Access& access) = 0;
  // Called for each part of the request once all are admitted: reserves the least that it may cost. Its error is the
  // reply, or the reason of that part: see is_throttled().
  virtual Result<void> reserve(const Access& /*access*/, model::HalfUnits /*least*/) { return {}; }
  // Both, for a request of one part.
  virtual Result<void> admit_and_reserve(const Access& access, model::HalfUnits least) {
    auto admitted = admit(access);
    return admitted.ok() ? reserve(access, least) : std::move(admitted);
  }
  // Called when it is known what a write would write to global indexes, and before it does. Its error is that of the
  // write. Called on any thread, perhaps several times, while no other function of the checker is.
  virtual Result<void> check_indexes(const IndexChange& /*change*/) { return {}; }
  // Called after the access, whether the client asked for the capacity or not; in the order of reserve().
  virtual void charge(const Access& access, const api::ConsumedCapacity& consumed) = 0;
  // The usual case of charge() for a request of one part, which needs no Access: it consumed what was reserved, and its
  // key is of no interest. False: it is not that case, call charge().
  virtual bool charge_usual(const TableInfo& /*table*/, const api::ConsumedCapacity& /*consumed*/) { return false; }
};

}  // namespace partita::table
