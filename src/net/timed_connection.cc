#include "net/timed_connection.h"

#include "net/request_resources.h"

namespace partita::net {

namespace {

// How much of a refused request is read.
constexpr size_t kMostDrained = size_t{64} << 20;

}  // namespace

void TimedConnection::sweep() {
  if (phase_ != Phase::kHandling && worker_.now_ns > deadline_ns_) stream().close();
}

void TimedConnection::stop() {
  if (phase_ != Phase::kHandling && phase_ != Phase::kWriting) stream().close();
}

std::optional<int64_t> TimedConnection::idle_until_ns() const {
  if (phase_ != Phase::kIdle) return std::nullopt;
  return deadline_ns_;
}

Task<> TimedConnection::drain(std::vector<char>& scratch) {
  stream().shutdown();
  scratch.resize(kSmallRequest);
  size_t drained = 0;
  while (drained < kMostDrained && !worker_.stopping) {
    enter(Phase::kDraining);
    ReadBytes read(stream(), scratch, true);
    const size_t size = co_await read;
    if (size == 0) co_return;
    drained += size;
  }
}

}  // namespace partita::net
