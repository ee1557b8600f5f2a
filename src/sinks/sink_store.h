// Sinks as the store has them: what operators create, list and change. The jobs carry them (carry_job.h).
//
// Errors of all functions: kInvalid (reason 0) with a sentence for what the request says, faults of expressions and
// tables, and those of the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "model/value.h"
#include "sinks/destination.h"
#include "sinks/progress.h"
#include "table/catalog/table_context.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

inline constexpr size_t kMostSinks = 8;  // of a table
inline constexpr int64_t kDefaultBacklogBytes = int64_t{1} << 30;
inline constexpr int64_t kLeastBacklogBytes = int64_t{1} << 20;

// The destination of a URL; tests give their own.
using FindDestination = std::function<Result<DestinationFactory>(std::string_view url)>;

struct SinkRequest {
  std::string table = {};
  std::string name = {};  // empty: the kind of the URL
  std::string url = {};
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
Task<Result<table::Sink>> create_sink(table::TableContext& context, SinkRequest request, FindDestination find);
// Of all tables, or of one; by table and name.
Task<Result<std::vector<SinkStatus>>> list_sinks(table::TableContext& context, std::string table);
Task<Result<SinkStatus>> describe_sink(table::TableContext& context, std::string table, std::string name);
// Of the next three, resuming also ends a failure. `fill`: send the whole table again; otherwise the dead letters.
Task<Result<void>> pause_sink(table::TableContext& context, std::string table, std::string name);
Task<Result<void>> resume_sink(table::TableContext& context, std::string table, std::string name);
Task<Result<void>> retry_sink(table::TableContext& context, std::string table, std::string name, bool fill);
// Its logs and rows are erased in the background; with `index` the index at the other end too. Without it, this also
// ends a deletion that waits for the other end.
Task<Result<void>> delete_sink(table::TableContext& context, std::string table, std::string name, bool index);

// Changes the row by a pure function; nothing if it is gone or the function returns false.
Task<Result<void>> change_sink(storage::Engine& engine, uint32_t table_id, uint16_t number,
                               std::function<bool(table::Sink& sink)> change);
// Begins a fill: gives it a number that no earlier one had, even if the store is an older one.
void begin_generation(table::Sink& sink, int64_t now_ms, std::string because);

DestinationSettings settings_of(const table::Sink& sink, const model::KeySchema& keys);
// Whether its keys are those of dead letters (sinks/dead_letters.h).
bool can_hold_dead_letters(const table::TableInfo& table);
// The table of dead letters of the name, which is created if it is absent.
Task<Result<table::Table>> dead_letters_of(table::TableContext& context, std::string name);

}  // namespace partita::sinks
