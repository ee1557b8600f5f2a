#include "sinks/sink_lag.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace partita::sinks {

namespace {

constexpr size_t kLagEntries = 10'000;
constexpr size_t kLagBytes = size_t{256} << 10;

}  // namespace

Task<Result<SinkLag>> lag_of(table::TableContext& context, SinkStatus status) {
  SinkLag lag;
  if (status.sink.deleting) co_return lag;
  const int64_t now_ms = context.clock().now_ms();
  for (size_t slice = 0; slice < table::kSinkSlices; ++slice) {
    std::string topic = table::sink_topic(status.sink.table_id, status.sink.number, slice);
    const storage::Position after = status.progress.delivered[slice];
    auto read = co_await context.engine().read_log(std::move(topic), after, kLagEntries, kLagBytes);
    PARTITA_CO_TRY(const std::vector<storage::LogEntry> waiting, std::move(read));
    if (waiting.empty()) continue;
    size_t bytes = 0;
    for (const storage::LogEntry& one : waiting) bytes += one.entry.size();
    lag.entries += waiting.size();
    lag.has_more = lag.has_more || waiting.size() == kLagEntries || bytes >= kLagBytes;
    const auto at_ms = table::sink_entry_time(waiting.front().entry);
    if (at_ms) lag.ms = std::max(lag.ms, now_ms - *at_ms);
  }
  co_return lag;
}

}  // namespace partita::sinks
