// Writes a server's metrics into the store, a minute at a time. A row has the values of one table and one hour, and is
// written whole each minute in which the table had any. A table at rest costs one row an hour.
//
//   Recorder recorder(random.next());
//   PARTITA_CO_TRY_VOID(co_await recorder.record(engine, counts, minute));  // once a minute
//
// If a write fails, the values stay in memory and are written with those of the next minute. For one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "metrics/chunk.h"
#include "metrics/counts.h"
#include "metrics/known_series.h"
#include "storage/engine.h"

namespace partita::metrics {

class Recorder {
 public:
  // `server`: differs from that of every other server and start.
  explicit Recorder(uint64_t server) : server_(server) {}

  // What was counted since the last call, at first since the start, as the values of that minute (since 1970), which
  // adds to what was recorded of it before if the clock went back. The engine, which may be another one of the same
  // store each time, outlives the task. Errors: those of the engine.
  Task<Result<void>> record(storage::Engine& engine, ServerCounts counts, int64_t minute);
  // Rows that were written may be gone, as after a rollback: the next record() writes those of this hour again.
  void write_again();

 private:
  struct Open {
    std::unique_ptr<ChunkWriter> chunk;
    KnownSeries known;
    bool known_changed = false;
    bool changed = false;                                    // since it was last written
    std::map<SeriesPart, MinuteValues::mapped_type> levels;  // as last added
  };

  void add(const std::string& table, const std::vector<SeriesPart>& alive, MinuteValues values, int64_t minute);
  void add_table(const TableCounts& table, int64_t minute);
  void add_account(const ServerCounts& counts, int64_t minute);
  void end_dropped(const ServerCounts& counts, int64_t minute);
  // Ends all rows, so that none with an earlier minute replaces them.
  void begin_anew();
  // Puts the row of a table aside until it is written, if it has to be.
  void set_aside(const std::string& table, Open& open);
  Task<Result<void>> write_chunks(storage::Engine& engine);
  Task<Result<void>> write_known(storage::Engine& engine, int64_t hour);

  uint64_t server_;  // each value is used for rising minutes only
  int64_t last_minute_ = INT64_MIN;
  ServerCounts before_;
  std::map<std::string, Open> open_;  // by table
  std::vector<ChunkWriter> full_;     // rows that are complete, and not yet written
  std::vector<std::string> full_of_;  // the tables of these
};

// The values of a table in the time between two counts; levels are those of `after`. `before` may be null.
MinuteValues values_of(const TableCounts* before, const TableCounts& after);
MinuteValues values_of(const ServerCounts& before, const ServerCounts& after);

// Erases what is older than kKeptMinutes, and what is further ahead than that, as after a clock that was set back.
// Errors: those of the engine.
Task<Result<void>> erase_old(storage::Engine& engine, int64_t now_minute);

}  // namespace partita::metrics
