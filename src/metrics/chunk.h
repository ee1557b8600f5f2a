// The stored form of the values of one table in one hour, as one server counted them: docs/formats/metrics.md.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "metrics/metric.h"
#include "storage/engine.h"

namespace partita::metrics {

// A value in what it is counted in, such as half units.
struct RawValue {
  uint64_t samples = 0;
  int64_t sum = 0;
  int64_t least = 0;
  int64_t most = 0;
  std::array<uint64_t, kBuckets> buckets{};
};
Statistics statistics_of(Metric metric, const RawValue& value);

// Within a table: which of its series.
struct SeriesPart {
  Scope scope = Scope::kTable;
  std::string name;
  auto operator<=>(const SeriesPart&) const = default;
};
using MinuteValues = std::map<SeriesPart, std::map<Metric, RawValue>>;

// Builds the row of an hour. For one thread.
class ChunkWriter {
 public:
  // Beyond this, the hour goes on in another row.
  static constexpr size_t kMostBytes = size_t{48} << 10;

  ChunkWriter(int64_t hour, uint64_t server);
  // Series without a value begin to be zero there. Minutes are those of the hour.
  void begin(const SeriesPart& part, uint8_t minute);
  void add(uint8_t minute, const MinuteValues& values);
  // The table was dropped.
  void end(uint8_t minute);

  int64_t hour() const { return hour_; }
  uint64_t server() const { return server_; }
  const std::string& text() const { return text_; }

 private:
  uint64_t id_of(const SeriesPart& part, uint8_t minute);

  const int64_t hour_;
  const uint64_t server_;
  std::string text_;
  std::map<SeriesPart, uint64_t> ids_;
};

struct Chunk {
  struct Begun {
    SeriesPart part;
    uint8_t minute = 0;
  };
  struct Value {
    size_t series = 0;  // in `series`
    Metric metric{};
    RawValue raw;
  };
  struct Minute {
    uint8_t minute = 0;
    std::vector<Value> values;  // only of metrics that this version knows
  };
  std::vector<Begun> series;
  std::vector<Minute> minutes;
  std::optional<uint8_t> ended;
};
// Errors: kCorrupt; kInvalid for a row of a newer version.
Result<Chunk> read_chunk(std::string_view text);

// Hours since 1970. `table` is empty for series of the account.
storage::Key chunk_key(std::string_view table, int64_t hour, uint64_t server);
struct ChunkName {
  std::string table;
  int64_t hour = 0;
  uint64_t server = 0;
};
// Nullopt: the key is of no chunk.
std::optional<ChunkName> chunk_name_of(std::string_view key);
// The rows of a table in [from, to), in hours.
storage::Range chunks_of(std::string_view table, int64_t from, int64_t to);
// The row with the series that a table has had: see known_series.h.
storage::Key known_series_key(std::string_view table);
// The table of a row of metrics.
std::string table_of_row(std::string_view key);
// From behind all rows of `table`, to the end of all rows of metrics.
storage::Range tables_behind(std::string_view table);

}  // namespace partita::metrics
