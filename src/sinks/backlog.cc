#include "sinks/backlog.h"

#include <algorithm>
#include <utility>

namespace partita::sinks {

namespace {

constexpr size_t kCountedAtOnce = 10'000;
constexpr size_t kCountedBytesAtOnce = size_t{1} << 20;

uint64_t less(uint64_t from, uint64_t by) { return from - std::min(from, by); }

}  // namespace

Task<Result<Positions>> Backlog::ends() {
  Positions ends{};
  for (size_t i = 0; i < ends.size(); ++i) {
    auto end = co_await engine_.log_end(topics_[i]);
    PARTITA_CO_TRY(ends[i], std::move(end));
  }
  co_return ends;
}

Task<Result<void>> Backlog::trim(Positions upto) {
  for (size_t i = 0; i < upto.size(); ++i) {
    if (upto[i] <= trimmed_[i]) continue;
    PARTITA_CO_TRY_VOID(co_await engine_.trim_log(topics_[i], upto[i]));
    trimmed_[i] = upto[i];
  }
  co_return Result<void>();
}

Task<Result<void>> Backlog::forget() {
  for (const std::string& topic : topics_) PARTITA_CO_TRY_VOID(co_await engine_.forget_log(topic));
  co_return Result<void>();
}

Task<Result<void>> Backlog::count(Positions delivered, size_t most_bytes) {
  oldest_ms_ = 0;
  for (size_t i = 0; i < topics_.size(); ++i) {
    Slice& slice = slices_[i];
    if (slice.counted < delivered[i]) slice = {delivered[i], 0, 0};
    auto first = co_await engine_.read_log(topics_[i], delivered[i], 1, 1);
    PARTITA_CO_TRY(const std::vector<storage::LogEntry> oldest, std::move(first));
    const auto at_ms = oldest.empty() ? std::nullopt : table::sink_entry_time(oldest[0].entry);
    if (at_ms && (oldest_ms_ == 0 || *at_ms < oldest_ms_)) oldest_ms_ = *at_ms;
    if (oldest.empty()) slice = {slice.counted, 0, 0};
    for (size_t bytes = 0; bytes < most_bytes;) {
      auto read = co_await engine_.read_log(topics_[i], slice.counted, kCountedAtOnce, kCountedBytesAtOnce);
      PARTITA_CO_TRY(const std::vector<storage::LogEntry> more, std::move(read));
      if (more.empty()) break;
      for (const storage::LogEntry& one : more) bytes += one.entry.size(), slice.bytes += one.entry.size();
      slice.entries += more.size();
      slice.counted = more.back().position;
    }
  }
  co_return Result<void>();
}

Positions Backlog::counted() const {
  Positions all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = slices_[i].counted;
  return all;
}

void Backlog::took(size_t slice, storage::Position upto, uint64_t entries, uint64_t bytes) {
  Slice& one = slices_[slice];
  if (one.counted <= upto) {
    one = {upto, 0, 0};
  } else {
    one.entries = less(one.entries, entries);
    one.bytes = less(one.bytes, bytes);
  }
}

uint64_t Backlog::entries() const {
  uint64_t all = 0;
  for (const Slice& slice : slices_) all += slice.entries;
  return all;
}

uint64_t Backlog::bytes() const {
  uint64_t all = 0;
  for (const Slice& slice : slices_) all += slice.bytes;
  return all;
}

}  // namespace partita::sinks
