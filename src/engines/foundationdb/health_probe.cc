#include "engines/foundationdb/health_probe.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"

namespace partita::foundationdb {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetween{500};
constexpr std::chrono::milliseconds kUnhealthyAfter{1'000};

}  // namespace

struct HealthProbe::State {
  Mutex mutex;
  Clock::time_point asked_at PARTITA_GUARDED_BY(mutex);
  bool is_asking PARTITA_GUARDED_BY(mutex) = false;
  bool has_failed PARTITA_GUARDED_BY(mutex) = false;
  bool was_healthy PARTITA_GUARDED_BY(mutex) = true;
};

// One probe, which may outlive its owner.
struct HealthProbe::Probe {
  Probe(const Cluster& cluster, std::shared_ptr<State> state)
      : attempt(cluster), answer(attempt.read_version()), asked(std::move(state)) {}
  TxnAttempt attempt;
  Future answer;
  std::shared_ptr<State> asked;
};

HealthProbe::HealthProbe(const Cluster& cluster, const std::string& cluster_file)
    : cluster_(cluster),
      error_sentence_("FoundationDB does not answer: `fdbcli -C " + cluster_file +
                      " --exec status` says what it lacks."),
      state_(std::make_shared<State>()) {}

Result<void> HealthProbe::health() const {
  const Clock::time_point now = Clock::now();
  bool asks = false;
  bool is_healthy = true;
  bool has_changed = false;
  {
    const MutexLock lock(state_->mutex);
    asks = !state_->is_asking && now - state_->asked_at >= kBetween;
    is_healthy = !state_->has_failed && !(state_->is_asking && now - state_->asked_at >= kUnhealthyAfter);
    has_changed = std::exchange(state_->was_healthy, is_healthy) != is_healthy;
    if (asks) state_->asked_at = now;
    state_->is_asking = state_->is_asking || asks;
  }
  if (asks) {
    auto* const heartbeat = new Probe(cluster_, state_);
    heartbeat->answer.call_back(
        [](FdbFuture*, void* asked) {
          const std::unique_ptr<Probe> ended(static_cast<Probe*>(asked));
          const MutexLock lock(ended->asked->mutex);
          ended->asked->is_asking = false;
          const int code = ended->answer.error();
          ended->asked->has_failed = code != 0 && !is_retryable(code);
        },
        heartbeat);
  }
  if (has_changed) {
    log(is_healthy ? LogLevel::kInfo : LogLevel::kError, is_healthy ? "FoundationDB answers again." : error_sentence_);
  }
  if (is_healthy) return {};
  return Error(ErrorKind::kUnavailable, error_sentence_);
}

}  // namespace partita::foundationdb
