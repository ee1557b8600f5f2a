// A connection whose time is bounded: to wait for a request, to receive one, to take a reply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/task.h"
#include "net/connection.h"
#include "net/stream.h"

namespace partita::net {

class TimedConnection : public Connection {
 public:
  // `worker` outlives it.
  TimedConnection(std::unique_ptr<Stream> stream, const WorkerState& worker, int64_t idle_timeout_ms,
                  int64_t request_timeout_ms)
      : Connection(std::move(stream)),
        worker_(worker),
        idle_timeout_ms_(idle_timeout_ms),
        request_timeout_ms_(request_timeout_ms) {}

  void sweep() override;
  void stop() override;
  std::optional<int64_t> idle_until_ns() const override;

 protected:
  // kHead, kBody: a request has begun to arrive; a protocol without heads uses kBody alone. A request that is being
  // handled has no deadline.
  enum class Phase : uint8_t { kIdle, kHead, kBody, kHandling, kWriting, kDraining };

  // Each phase has one deadline, which is later by a fixed time for each byte moved.
  void enter(Phase phase, size_t bytes = 0) {
    if (phase != phase_ || phase == Phase::kIdle) phase_began_ns_ = worker_.now_ns;
    phase_ = phase;
    const auto pace = static_cast<int64_t>(bytes) * 1'000'000'000 / kLeastBytesPerSecond;
    deadline_ns_ = phase_began_ns_ + time_of(phase) * 1'000'000 + pace;
  }
  void begin_handling() { phase_ = Phase::kHandling; }
  // From the next time that it waits for a request.
  void set_idle_timeout(int64_t ms) { idle_timeout_ms_ = ms; }
  // Shuts the stream down and reads on for a while, into `scratch`: if the connection were closed at once, a client
  // that still sends would not see the refusal of its request.
  Task<> drain(std::vector<char>& scratch);

 private:
  static constexpr int64_t kDrainMs = 5'000;
  // Beyond the timeout of a request, a client gets the time for it or its reply at this rate.
  static constexpr int64_t kLeastBytesPerSecond = int64_t{256} << 10;

  int64_t time_of(Phase phase) const {
    switch (phase) {
      case Phase::kIdle:
        return idle_timeout_ms_;
      case Phase::kDraining:
        return kDrainMs;
      default:
        return request_timeout_ms_;
    }
  }

  const WorkerState& worker_;
  int64_t idle_timeout_ms_;
  const int64_t request_timeout_ms_;
  Phase phase_ = Phase::kIdle;
  int64_t phase_began_ns_ = 0;
  int64_t deadline_ns_ = 0;
};

}  // namespace partita::net
