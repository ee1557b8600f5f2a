// The notices of all alarms, for those who deliver them. Several servers may: each claims a notice before it sends it.
// A notice is delivered at least once, or given up an hour after the change of state; one that was not attempted for a
// day, as in a backup, is given up unsent.
//
//   PARTITA_CO_TRY(const auto due, co_await notices.due(now_ms, 100));
//   for (const auto& [alarm, notice] : due) {
//     PARTITA_CO_TRY(const Claim claim, co_await notices.claim(alarm, notice.id, now_ms));
//     if (claim == Claim::kMine) PARTITA_CO_TRY_VOID(co_await notices.settle(alarm, notice.id, send(notice), now_ms));
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/task.h"
#include "metrics/alarm.h"
#include "metrics/notice.h"
#include "storage/engine.h"

namespace partita::metrics {

// "Amazon SNS message delivery retries": retries of HTTP requests end after 3,600 seconds.
inline constexpr int64_t kNoticeTriedMs = 3'600'000;
// The greatest age of a notice that is sent.
inline constexpr int64_t kNoticeKeptMs = 24 * kNoticeTriedMs;
// A claimed notice is due again then, so that it is not lost with its server.
inline constexpr int64_t kNoticeClaimMs = 30'000;
// After each failed attempt twice as long, from a second on, at most this.
inline constexpr int64_t kMostNoticeWaitMs = 300'000;

struct DueNotice {
  std::string alarm;
  Notice notice;
};

enum class Claim : uint8_t {
  kMine,     // an attempt is counted
  kNone,     // it is not due any more, or its alarm was deleted
  kGivenUp,  // it is too old; the history tells of it
};

// Callable from any thread. Arguments are copied into the tasks. Errors: those of the engine; kCorrupt.
class NoticeStore {
 public:
  // Both outlive it.
  NoticeStore(storage::Engine& engine, Random& random) : engine_(engine), random_(random) {}

  // At most `most`. Damaged rows are passed over.
  Task<Result<std::vector<DueNotice>>> due(int64_t now_ms, size_t most) const;
  Task<Result<Claim>> claim(std::string alarm, std::string id, int64_t now_ms) const;
  // The outcome of an attempt. `error`: a sentence, or nothing if the notice was accepted. The alarm's history tells of
  // the first error, of the end of attempts, and of success.
  Task<Result<void>> settle(std::string alarm, std::string id, std::optional<std::string> error, int64_t now_ms) const;

 private:
  // `use` gets the alarm's notices and the index of this one, changes them, and adds to the history. False: the notice
  // does not exist, or `use` returned false.
  using Use = std::function<bool(std::vector<Notice>& notices, size_t index, std::vector<HistoryEntry>& entries)>;
  Task<Result<bool>> change(std::string alarm, std::string id, Use use) const;

  storage::Engine& engine_;
  Random& random_;
};

}  // namespace partita::metrics
