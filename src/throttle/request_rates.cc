#include "throttle/request_rates.h"

#include <algorithm>

#include "auth/identities.h"

namespace partita::throttle {

namespace {

constexpr int64_t kAtOnceNs = 1'000 * kNsPerMs;

// Sessions are named by who begins them, so they are not counted each by itself.
std::string_view principal_of(const auth::Caller& caller) {
  if (caller.identity == nullptr) return caller.temporary ? caller.account_id : caller.access_key_id;
  return caller.identity->role.empty() ? caller.identity->arn : caller.identity->role;
}

}  // namespace

bool RequestRates::admit(const auth::Caller& caller, uint32_t& wait_ms) {
  return interval_ns_ == 0 || take(due_of(principal_of(caller), clock_.monotonic_ns()), wait_ms);
}

bool RequestRates::take(Due& due, uint32_t& wait_ms) {
  if (interval_ns_ == 0) return true;
  const int64_t now_ns = clock_.monotonic_ns();
  int64_t before = due.load(std::memory_order_relaxed);
  while (true) {
    const int64_t after = std::max(before, now_ns) + interval_ns_;
    if (const int64_t early_ns = after - now_ns - kAtOnceNs; early_ns > 0) {
      wait_ms = static_cast<uint32_t>(early_ns / kNsPerMs + 1);
      return false;
    }
    if (due.compare_exchange_weak(before, after, std::memory_order_relaxed)) return true;
  }
}

// A Due lives as long as this.
RequestRates::Due& RequestRates::due_of(std::string_view principal, int64_t now_ns) {
  {
    const ReaderLock lock(mutex_);
    if (const auto found = dues_.find(principal); found != dues_.end()) return *found->second;
  }
  const WriterLock lock(mutex_);
  std::unique_ptr<Due>& due = dues_[std::string(principal)];
  if (due == nullptr) due = std::make_unique<Due>(now_ns);
  return *due;
}

}  // namespace partita::throttle
