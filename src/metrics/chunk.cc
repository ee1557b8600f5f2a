#include "metrics/chunk.h"

#include <algorithm>

#include "base/bytes.h"
#include "storage/ranges.h"
#include "table/rows/system_rows.h"

namespace partita::metrics {

namespace {

using table::SystemRow;

constexpr uint8_t kFormat = 1;
constexpr char kSeries = 'S';
constexpr char kMinute = 'M';
constexpr char kEnd = 'E';
constexpr int kKindShift = 6;

void append_value(std::string& out, Metric metric, const RawValue& value) {
  const ValueKind kind = row_of(metric).kind;
  out.push_back(static_cast<char>(static_cast<uint8_t>(kind) << kKindShift | static_cast<uint8_t>(metric)));
  const auto amounts = [&] {
    append_varint(out, value.samples);
    append_varint(out, static_cast<uint64_t>(value.sum));
    append_varint(out, static_cast<uint64_t>(value.least));
    append_varint(out, static_cast<uint64_t>(value.most - value.least));
  };
  switch (kind) {
    case ValueKind::kEvents:
    case ValueKind::kLevel:
      return append_varint(out, static_cast<uint64_t>(value.sum));
    case ValueKind::kAmounts:
      return amounts();
    case ValueKind::kTimes:
      break;
  }
  amounts();
  uint64_t used = 0;
  for (size_t i = 0; i < kBuckets; ++i) used |= uint64_t{value.buckets[i] > 0} << i;
  append_varint(out, used);
  for (const uint64_t count : value.buckets) {
    if (count > 0) append_varint(out, count);
  }
}

// Reads front to back; once something was missing, everything else is 0 and sound() is false.
class ChunkReader {
 public:
  explicit ChunkReader(std::string_view in) : in_(in) {}

  uint8_t byte() { return held(take_u8(in_)); }
  uint64_t varint() { return held(take_varint(in_)); }
  std::string_view sized() { return held(take_sized(in_)); }
  bool at_end() const { return in_.empty() || !sound_; }
  bool sound() const { return sound_; }
  void reject() { sound_ = false; }

  RawValue value(ValueKind kind) {
    RawValue value;
    if (kind == ValueKind::kEvents || kind == ValueKind::kLevel) {
      value.sum = static_cast<int64_t>(varint());
      value.samples = kind == ValueKind::kEvents ? static_cast<uint64_t>(value.sum) : 1;
      value.least = value.most = kind == ValueKind::kEvents ? 1 : value.sum;
      return value;
    }
    value.samples = varint();
    value.sum = static_cast<int64_t>(varint());
    value.least = static_cast<int64_t>(varint());
    const auto range = static_cast<int64_t>(varint());
    if (__builtin_add_overflow(value.least, range, &value.most)) reject();
    if (kind == ValueKind::kAmounts) return value;
    const uint64_t used = varint();
    if (used >> kBuckets != 0) reject();
    for (size_t i = 0; i < kBuckets; ++i) {
      if ((used >> i & 1) != 0) value.buckets[i] = varint();
    }
    return value;
  }

 private:
  template <class Taken>
  Taken held(std::optional<Taken> taken) {
    sound_ = sound_ && taken.has_value();
    return taken.value_or(Taken());
  }

  std::string_view in_;
  bool sound_ = true;
};

bool is_known(Metric metric) {
  return std::ranges::find(metric_rows(), metric, &MetricRow::metric) != metric_rows().end();
}

Chunk::Minute read_minute(ChunkReader& in, size_t series) {
  Chunk::Minute read;
  read.minute = in.byte();
  ChunkReader values(in.sized());
  while (!values.at_end()) {
    const uint64_t id = values.varint();
    if (id >= series) values.reject();
    for (uint64_t left = values.varint(); left > 0 && values.sound(); --left) {
      const uint8_t head = values.byte();
      const auto metric = static_cast<Metric>(head & kMostMetric);
      RawValue raw = values.value(static_cast<ValueKind>(head >> kKindShift));
      if (is_known(metric)) read.values.push_back({id, metric, raw});
    }
  }
  if (!values.sound()) in.reject();
  return read;
}

std::string prefix_of(std::string_view table) {
  std::string rest(table);
  rest.push_back('\0');
  return rest;
}

}  // namespace

Statistics statistics_of(Metric metric, const RawValue& value) {
  const double scale = row_of(metric).scale;
  Statistics statistics{static_cast<double>(value.samples), static_cast<double>(value.sum) * scale,
                        static_cast<double>(value.least) * scale, static_cast<double>(value.most) * scale};
  std::ranges::transform(value.buckets, statistics.buckets.begin(), [](uint64_t n) { return static_cast<double>(n); });
  return statistics;
}

ChunkWriter::ChunkWriter(int64_t hour, uint64_t server) : hour_(hour), server_(server), text_(1, char{kFormat}) {}

uint64_t ChunkWriter::id_of(const SeriesPart& part, uint8_t minute) {
  const auto [at, added] = ids_.try_emplace(part, ids_.size());
  if (added) {
    text_.push_back(kSeries);
    text_.push_back(static_cast<char>(minute));
    text_.push_back(static_cast<char>(part.scope));
    append_sized(text_, part.name);
  }
  return at->second;
}

void ChunkWriter::begin(const SeriesPart& part, uint8_t minute) { id_of(part, minute); }

void ChunkWriter::add(uint8_t minute, const MinuteValues& values) {
  std::string all;
  for (const auto& [part, metrics] : values) {
    append_varint(all, id_of(part, minute));
    append_varint(all, metrics.size());
    for (const auto& [metric, value] : metrics) append_value(all, metric, value);
  }
  text_.push_back(kMinute);
  text_.push_back(static_cast<char>(minute));
  append_sized(text_, all);
}

void ChunkWriter::end(uint8_t minute) {
  text_.push_back(kEnd);
  text_.push_back(static_cast<char>(minute));
}

Result<Chunk> read_chunk(std::string_view text) {
  ChunkReader in(text);
  if (in.byte() > kFormat) return Error(ErrorKind::kInvalid, "a row of metrics is of a newer version of Partita.");
  Chunk chunk;
  while (!in.at_end()) {
    const auto entry = static_cast<char>(in.byte());
    if (entry == kSeries) {
      const uint8_t minute = in.byte();
      const auto scope = static_cast<Scope>(in.byte());
      chunk.series.push_back({{scope, std::string(in.sized())}, minute});
      if (minute >= kMinutesPerHour) in.reject();
    } else if (entry == kMinute) {
      chunk.minutes.push_back(read_minute(in, chunk.series.size()));
      if (chunk.minutes.back().minute >= kMinutesPerHour) in.reject();
    } else if (entry == kEnd) {
      chunk.ended = in.byte();
    } else {
      in.reject();
    }
  }
  if (!in.sound()) return Error(ErrorKind::kCorrupt, "a row of metrics is damaged.");
  return chunk;
}

storage::Key chunk_key(std::string_view table, int64_t hour, uint64_t server) {
  std::string rest = prefix_of(table);
  append_u32(rest, static_cast<uint32_t>(hour));
  append_u64(rest, server);
  return table::system_key(SystemRow::kMetrics, rest);
}

std::optional<ChunkName> chunk_name_of(std::string_view key) {
  const std::string prefix = table::system_key(SystemRow::kMetrics).bytes;
  if (!key.starts_with(prefix)) return std::nullopt;
  key.remove_prefix(prefix.size());
  const size_t end = key.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  ChunkName name;
  name.table = key.substr(0, end);
  key.remove_prefix(end + 1);
  const auto hour = take_u32(key);
  const auto server = take_u64(key);
  if (!hour || !server || !key.empty()) return std::nullopt;
  name.hour = *hour;
  name.server = *server;
  return name;
}

storage::Range chunks_of(std::string_view table, int64_t from, int64_t to) {
  // The row of known series is that of hour 0.
  const auto at = [&](int64_t hour) {
    std::string rest = prefix_of(table);
    append_u32(rest, static_cast<uint32_t>(std::max<int64_t>(hour, 1)));
    return table::system_key(SystemRow::kMetrics, rest).bytes;
  };
  return {at(from), at(to)};
}

storage::Key known_series_key(std::string_view table) {
  std::string rest = prefix_of(table);
  append_u32(rest, 0);
  return table::system_key(SystemRow::kMetrics, rest);
}

std::string table_of_row(std::string_view key) {
  key.remove_prefix(std::min(key.size(), table::system_key(SystemRow::kMetrics).bytes.size()));
  return std::string(key.substr(0, key.find('\0')));
}

storage::Range tables_behind(std::string_view table) {
  std::string rest(table);
  rest.push_back('\1');
  return {table::system_key(SystemRow::kMetrics, rest).bytes, table::system_rows(SystemRow::kMetrics).end};
}

}  // namespace partita::metrics
