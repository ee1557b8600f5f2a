// How many requests a second each principal may make. Capacity and heat of tables belong beside it, in this folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "auth/authenticate.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace partita::throttle {

// Callable from any thread.
class RequestRates {
 public:
  // 0: no limit. The clock outlives it.
  RequestRates(uint64_t per_second, const Clock& clock)
      : interval_ns_(per_second == 0 ? 0 : static_cast<int64_t>(1'000'000'000 / per_second)), clock_(clock) {}

  // Whether the caller may make a request now; if so, it is counted, and if not, `wait_ms` is when one may be made. The
  // requests of a second may come at once after a second without any. A principal is a user with all of its keys, or a
  // role with all of its sessions; without users, each key is one.
  bool admit(const auth::Caller& caller, uint32_t& wait_ms);
  // The same for a request whose signature was refused. All of these share one rate, since it is not known whose they
  // are.
  bool admit_refused(uint32_t& wait_ms) { return take(refused_, wait_ms); }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  // When a principal that had asked evenly would be due again, monotonic.
  using Due = std::atomic<int64_t>;

  Due& due_of(std::string_view principal, int64_t now_ns);
  bool take(Due& due, uint32_t& wait_ms);

  const int64_t interval_ns_;
  const Clock& clock_;
  Due refused_{0};
  SharedMutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Due>, Hash, std::equal_to<>> dues_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::throttle
