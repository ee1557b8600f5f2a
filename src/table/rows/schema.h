// The description of a table: keys, indexes and settings. A TableInfo is immutable once the Catalog has published it; a
// change of the table publishes a new one.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/tables.h"
#include "model/item_codec.h"
#include "model/key.h"
#include "model/value.h"
#include "storage/engine.h"
#include "table/rows/counts.h"
#include "table/rows/limits_kept.h"
#include "table/rows/meters_kept.h"
#include "table/rows/units_kept.h"
#include "table/rows/vector_schema.h"

namespace partita::table {

class RowMaker;

// Whether a short transition that ends at `due_ms` is over. None is longer than kLongestMomentMs: one that ends later
// began before the machine's clock was set back, and counts as over.
inline constexpr int64_t kLongestMomentMs = 1'000;
inline bool is_due(int64_t due_ms, int64_t now_ms) { return now_ms >= due_ms || due_ms - now_ms > kLongestMomentMs; }

using Tags = std::map<std::string, std::string>;

enum class Status : uint8_t { kCreating, kActive, kUpdating, kDeleting };

struct IndexProjection {
  api::ProjectionKind kind = api::ProjectionKind::kAll;
  std::vector<std::string> attributes;  // for kInclude: the projected attributes beside the keys
  bool operator==(const IndexProjection&) const = default;
};

// The reason for a table's status UPDATING.
enum class TableJob : uint8_t { kNone, kThroughput, kBilling, kTableClass, kStream, kIndex };

// The new value of a change in progress, and its time.
template <class Value>
struct Pending {
  Value value;
  int64_t due_ms = 0;
};

// Units per second; 0 and 0 for a pay-per-request table. Times are 0 for never.
struct Throughput {
  int64_t read_units = 0;
  int64_t write_units = 0;
  int64_t last_increase_ms = 0;
  int64_t last_decrease_ms = 0;
  int64_t decreases_today = 0;  // on the day of last_decrease_ms, in UTC
  std::optional<Pending<api::Units>> next;
  int64_t next_decreases = 0;  // what decreases_today becomes with `next`

  int64_t decreases_on(int64_t now_ms) const;
};

// Units per second that are available at once.
struct WarmThroughput {
  int64_t read_units = 0;
  int64_t write_units = 0;
};

// The size of a table or an index, as last read from the store (counts.h). Shared by all versions of one TableInfo.
struct Tally {
  std::atomic<int64_t> items{0};
  std::atomic<int64_t> bytes{0};
  std::atomic<int64_t> read_ns{0};  // when, on the monotonic clock; of a table
};

// The settings of Contributor Insights.
struct Insights {
  bool enabled = false;
  bool throttled_only = false;  // the mode THROTTLED_KEYS, else ACCESSED_AND_THROTTLED_KEYS
  int64_t began_ms = 0;         // when its rules were created
  int64_t changed_ms = 0;       // when the last change completes
  bool failed = false;          // there was no room for the rules when it was last enabled
  bool operator==(const Insights&) const = default;
};

struct IndexInfo {
  uint16_t id = 0;  // unique within the table for its whole life; see model::kBaseIndex
  std::string name;
  bool global = true;
  model::KeySchema keys;  // of a vector index: the HASH of its search schema, if it has one
  IndexProjection projection;
  std::optional<VectorSchema> vector;  // a vector index, which is global and has no capacity of its own
  Throughput throughput;
  api::OnDemandLimits on_demand;    // -1: just removed, and reported so for a moment
  int64_t limits_settle_at_ms = 0;  // when -1 becomes absence
  WarmThroughput warm;
  std::optional<Pending<WarmThroughput>> next_warm;
  Status status = Status::kActive;   // never kUpdating: an index that changes is read and written as before
  int64_t settles_at_ms = 0;         // not 0: reported as UPDATING until then
  bool backfilling = false;          // being filled from the table's items; queries are refused
  std::optional<Insights> insights;  // nothing: never set
  std::shared_ptr<Tally> tally = std::make_shared<Tally>();
  std::shared_ptr<LimitsKept> limits = std::make_shared<LimitsKept>();
  std::shared_ptr<IndexCosts> costs = std::make_shared<IndexCosts>();

  bool is_global_secondary() const { return global && !vector; }
  // Whether the attribute is one of its keys, or one that a search may name.
  bool needs(std::string_view attribute) const;
};

// An index whose rows are being counted; see counts.h.
struct Counting {
  uint16_t index = 0;
  uint64_t run = 0;
  bool operator==(const Counting&) const = default;
};

// A part of a stream: the changes of the items whose partition hash is in [first_hash, last_hash].
struct StreamShard {
  uint32_t number = 0;  // within its stream, from 1; never used again
  uint32_t parent = 0;  // the shard that it continues; 0: none
  uint64_t first_hash = 0;
  uint64_t last_hash = UINT64_MAX;
  int64_t opened_ms = 0;
  int64_t closed_ms = 0;  // 0: open
  bool operator==(const StreamShard&) const = default;
};

// The newest stream of a table; see stream.h.
struct StreamInfo {
  bool enabled = false;
  std::string view_type;  // KEYS_ONLY, NEW_IMAGE, OLD_IMAGE or NEW_AND_OLD_IMAGES; empty if disabled
  std::string label;      // empty: the table never had a stream
  int64_t created_ms = 0;
  std::vector<StreamShard> shards;  // by number; none if disabled
  Tags tags;                        // of the stream; the table's are its own
};

// A Kinesis stream that the table's changes go to, or went to. `sink` tells whether they do.
struct KinesisStream {
  std::string arn = {};
  uint16_t sink = 0;           // the number of the sink that carries them; 0: it is off, or could not be used
  std::string precision = {};  // of times; empty: never set, which is MILLISECOND
  bool updating = false;       // what changed last is its precision
  std::string failure = {};    // why it could not be used; empty: it could
  int64_t changed_ms = 0;      // when it was last enabled, updated or disabled
};

struct TimeToLive {
  std::string attribute;  // holds the moment; see expiry.h
  uint64_t run = 0;       // the description's revision that switched it on
  bool operator==(const TimeToLive&) const = default;
};

struct Encryption {
  bool kms = false;
  std::string key;  // an ARN, or the id of a key of the account
};

struct TableInfo {
  uint32_t id = 0;  // never reused
  std::string name;
  std::string uuid;  // DynamoDB's TableId
  model::KeySchema keys;
  std::vector<model::KeyElement> attribute_definitions;  // of key attributes only, sorted by name
  std::vector<IndexInfo> indexes;
  api::BillingMode billing_mode = api::BillingMode::kProvisioned;
  int64_t billing_changed_ms = 0;  // when it last became pay-per-request
  Throughput throughput;
  api::OnDemandLimits on_demand;    // -1: just removed, and reported so for a moment
  int64_t limits_settle_at_ms = 0;  // when -1 becomes absence
  WarmThroughput warm;
  std::optional<Pending<WarmThroughput>> next_warm;
  int64_t created_ms = 0;
  Status status = Status::kActive;
  int64_t settles_at_ms = 0;  // when kCreating and kUpdating become kActive
  TableJob job = TableJob::kNone;
  uint16_t next_index_id = 1;
  bool deletion_protection = false;
  std::string table_class;       // empty: never named
  std::string next_table_class;  // with TableJob::kTableClass
  int64_t table_class_changed_ms = 0;
  int64_t table_class_changed_before_ms = 0;  // the change before that one
  std::optional<Encryption> encryption;
  std::optional<Pending<Encryption>> next_encryption;  // kms false: off
  std::string replication_mode;                        // GlobalTableSettingsReplicationMode; empty: never named
  StreamInfo stream;
  std::optional<TimeToLive> ttl;  // nothing: off
  int64_t ttl_changed_ms = 0;
  Tags tags;
  std::optional<Pending<Tags>> tags_in_flight;  // the last change of tags, until it takes effect
  std::optional<Insights> insights;             // nothing: never set
  std::vector<KinesisStream> kinesis;           // the newest first; at most one has a sink
  uint64_t revision = 1;                        // grows with every change
  std::vector<Counting> counting;
  std::vector<uint16_t> sinks;         // the numbers of its sinks, see sink_rows.h
  std::vector<uint16_t> change_sinks;  // of these: the ones whose logs have whole records
  uint16_t next_sink = 1;
  // Names of features that a server must support to serve or change the table.
  std::vector<std::string> features;
  std::shared_ptr<Tally> tally = std::make_shared<Tally>();
  std::shared_ptr<MetersKept> meters = std::make_shared<MetersKept>();
  std::shared_ptr<LimitsKept> limits = std::make_shared<LimitsKept>();
  std::shared_ptr<UnitsKept> units = std::make_shared<UnitsKept>();  // without those of global indexes

  // Of a published description; never stored.
  storage::Version version{};
  std::shared_ptr<CountSlots> slots;
  std::optional<std::vector<std::string>> needed;  // needed_attributes()
  std::vector<const RowMaker*> row_makers;         // those that apply to the table

  // kCreating and kUpdating end by themselves at `settles_at_ms`, see is_due().
  Status status_at(int64_t now_ms) const;
  // The run under which the index is being counted, or 0.
  uint64_t counting_run(uint16_t index_id) const;
  // Applies all changes that are due, including the status.
  void settle(int64_t now_ms);
  // The index of that name, or null.
  const IndexInfo* find_index(std::string_view index_name) const;
  IndexInfo* find_index(std::string_view index_name);
  bool has_local_index() const;
  // The declared type of a key attribute of the table or of one of its indexes.
  const model::KeyElement* find_definition(std::string_view attribute) const;
};

using Table = std::shared_ptr<const TableInfo>;

// The WarmThroughput of a table or an index that was never raised: the provisioned units, or the initial units of
// on-demand tables.
WarmThroughput initial_warmth(api::BillingMode mode, const Throughput& throughput);
// Per member, the higher of both.
WarmThroughput warmer(const WarmThroughput& one, const WarmThroughput& other);

// The attributes that every index row has: the key attributes of table and index, distinct.
std::vector<std::string> key_attributes(const TableInfo& table, const IndexInfo* index);

// The attributes that a change of an item needs: keys of the table and its indexes, projected attributes, and the time
// to live; sorted. Nothing: all attributes.
std::optional<std::vector<std::string>> needed_attributes(const TableInfo& table);

// The catalogue's stored form: an item, so that a field can be added without a new format.
model::Item to_item(const TableInfo& table);
Result<TableInfo> table_from_item(const model::Item& item);

}  // namespace partita::table
