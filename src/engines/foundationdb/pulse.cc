#include "engines/foundationdb/pulse.h"

#include <chrono>
#include <mutex>
#include <utility>

#include "base/log.h"

namespace partita::foundationdb {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetween{500};
constexpr std::chrono::milliseconds kUnhealthyAfter{1'000};

}  // namespace

struct Pulse::State {
  std::mutex mutex;
  Clock::time_point asked_at;
  bool is_asking = false;
  bool has_failed = false;
  bool was_healthy = true;
};

// One question, which may outlive whoever asked.
struct Pulse::Beat {
  Beat(const Database& database, std::shared_ptr<State> state)
      : attempt(database), answer(attempt.read_version()), asked(std::move(state)) {}
  Attempt attempt;
  Future answer;
  std::shared_ptr<State> asked;
};

Pulse::Pulse(const Database& database, const std::string& cluster_file)
    : database_(database),
      trouble_("FoundationDB does not answer: `fdbcli -C " + cluster_file + " --exec status` says what it lacks."),
      state_(std::make_shared<State>()) {}

Result<void> Pulse::health() const {
  const Clock::time_point now = Clock::now();
  bool asks = false;
  bool is_healthy = true;
  bool has_changed = false;
  {
    std::lock_guard lock(state_->mutex);
    asks = !state_->is_asking && now - state_->asked_at >= kBetween;
    is_healthy = !state_->has_failed && !(state_->is_asking && now - state_->asked_at >= kUnhealthyAfter);
    has_changed = std::exchange(state_->was_healthy, is_healthy) != is_healthy;
    if (asks) state_->asked_at = now;
    state_->is_asking = state_->is_asking || asks;
  }
  if (asks) {
    auto* const beat = new Beat(database_, state_);
    beat->answer.call_back(
        [](FdbFuture*, void* asked) {
          const std::unique_ptr<Beat> ended(static_cast<Beat*>(asked));
          std::lock_guard lock(ended->asked->mutex);
          ended->asked->is_asking = false;
          const int code = ended->answer.error();
          ended->asked->has_failed = code != 0 && !is_retryable(code);
        },
        beat);
  }
  if (has_changed) {
    log(is_healthy ? LogLevel::kInfo : LogLevel::kError, is_healthy ? "FoundationDB answers again." : trouble_);
  }
  if (is_healthy) return {};
  return Error(ErrorKind::kUnavailable, trouble_);
}

}  // namespace partita::foundationdb
