// Sinks as the store has them: what operators create, list and change. The jobs carry them (carry_job.h).
//
// Errors of all functions: kInvalid (reason 0) with a sentence for what the request says, faults of expressions and
// tables, and those of the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "model/value.h"
#include "sinks/change_destination.h"
#include "sinks/destination.h"
#include "sinks/progress.h"
#include "table/catalog/table_context.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

inline constexpr size_t kMostSinks = 8;          // of a table
inline constexpr size_t kMostChangeSinks = 256;  // of a store: those that take every change
inline constexpr int64_t kDefaultBacklogBytes = int64_t{1} << 30;
inline constexpr int64_t kLeastBacklogBytes = int64_t{1} << 20;
inline constexpr std::string_view kUsualRegion = "us-east-1";  // of ARNs, if the server was given none

// The destination of a URL; tests give their own.
using FindDestination = std::function<Result<DestinationFactory>(std::string_view url)>;
// The same for those that take every change, which are looked for first.
using FindChangeDestination = std::function<std::optional<ChangeDestinationKind>(std::string_view url)>;

struct SinkRequest {
  std::string table = {};
  std::string name = {};  // empty: the kind of the URL
  std::string url = {};
  std::map<std::string, std::string> options = {};  // of destinations that take every change
  std::string index = {};
  std::string credentials_file = {};
  std::string authority_file = {};
  std::vector<std::string> fields = {};
  bool flat = false;
  std::string filter = {};
  std::vector<std::pair<std::string, std::string>> filter_names = {};
  model::Item filter_values = {};
  std::string dead_letters = {};  // empty: TABLE-dead-letters
  int64_t max_backlog_bytes = kDefaultBacklogBytes;
  bool by_administrator = true;  // who may name any table for the dead letters
  // What manages the sink instead of the operator's calls: a sentence's subject, as "Kinesis streaming". Its table of
  // dead letters is created with the first letter.
  std::string owner = {};
  // Changes the table's description in the transaction that creates the sink, for its owner. Pure; may be empty.
  std::function<Result<void>(table::TableInfo& table, const table::Sink& sink)> with = {};
};

enum class SinkState : uint8_t { kFilling, kCarrying, kPaused, kFailed, kDeleting };
std::string_view name_of(SinkState state);  // "FILLING"

// A sink as it is described.
struct SinkStatus {
  table::Sink sink;
  Progress progress;
  uint64_t filled = 0;  // items so far of the fill in progress
  SinkState state() const;
  // Why it does not carry, or why it fills anew; empty: there is nothing to say.
  std::string sentence() const;
};

// The table of dead letters is created unless there is one.
Task<Result<table::Sink>> create_sink(table::TableContext& context, SinkRequest request, FindDestination find,
                                      FindChangeDestination find_changes = find_change_destination);
// Of all tables, or of one; by table and name.
Task<Result<std::vector<SinkStatus>>> list_sinks(table::TableContext& context, std::string table);
Task<Result<SinkStatus>> describe_sink(table::TableContext& context, std::string table, std::string name);
// The next two, and delete_sink(), refuse a sink of another owner. Resuming also ends a failure.
Task<Result<void>> pause_sink(table::TableContext& context, std::string table, std::string name,
                              std::string owner = {});
Task<Result<void>> resume_sink(table::TableContext& context, std::string table, std::string name,
                               std::string owner = {});
// Of any owner, for no owner's calls do this. `fill`: sends the whole table again; otherwise the dead letters. Also
// ends a failure.
Task<Result<void>> retry_sink(table::TableContext& context, std::string table, std::string name, bool fill);
// Its logs and rows are erased in the background; with `index` the index at the other end too. Without it, this also
// ends a deletion that waits for the other end. `with`: changes the table's description in the same transaction, unless
// the sink was being deleted already. Pure; may be empty.
Task<Result<void>> delete_sink(table::TableContext& context, std::string table, std::string name, bool index,
                               std::string owner = {}, std::function<Result<void>(table::TableInfo& table)> with = {});

// Changes the row by a pure function; nothing if it is gone or the function returns false.
Task<Result<void>> change_sink(storage::Engine& engine, uint32_t table_id, uint16_t number,
                               std::function<bool(table::Sink& sink)> change);
// Begins a fill: gives it a number that no earlier one had, even if the store is an older one.
void begin_generation(table::Sink& sink, int64_t now_ms, std::string because);

DestinationSettings settings_of(const table::Sink& sink, const model::KeySchema& keys);
ChangeSettings change_settings_of(const table::Sink& sink, const table::TableInfo& table, const std::string& region);
// Whether its keys are those of dead letters (sinks/dead_letters.h).
bool can_hold_dead_letters(const table::TableInfo& table);
// The table of dead letters of the name, which is created if it is absent.
Task<Result<table::Table>> dead_letters_of(table::TableContext& context, std::string name);

}  // namespace partita::sinks
