#include "engines/postgres/dial.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <utility>
#include <vector>

#include "base/check.h"

namespace partita::postgres {

namespace {

using Clock = std::chrono::steady_clock;

int new_event() {
  const int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  PARTITA_CHECK(event >= 0);
  return event;
}

}  // namespace

Dial::Dial(Target target, std::function<void()> wake)
    : target_(std::move(target)), wake_(std::move(wake)), stop_(new_event()), thread_(&Dial::run, this) {}

Dial::~Dial() {
  PARTITA_CHECK(eventfd_write(stop_, 1) == 0);
  thread_.join();
  close(stop_);
}

void Dial::run() {
  const std::vector<const char*> names = target_.names();
  const std::vector<const char*> values = target_.values();
  const auto end = Clock::now() + std::chrono::milliseconds(target_.connect_timeout_ms());
  Session session(libpq().PQconnectStartParams(names.data(), values.data(), 0));
  PostgresPollingStatusType step = PGRES_POLLING_WRITING;
  while (libpq().PQstatus(session.get()) != CONNECTION_BAD && step != PGRES_POLLING_OK) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    const short event = step == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    pollfd events[] = {{stop_, POLLIN, 0}, {libpq().PQsocket(session.get()), event, 0}};
    const bool in_time = left > 0 && poll(events, 2, static_cast<int>(left)) != 0;
    if (!in_time || events[0].revents != 0) {
      session.reset();
      break;
    }
    step = libpq().PQconnectPoll(session.get());
    if (step == PGRES_POLLING_FAILED) break;
  }
  session_ = std::move(session);
  over_ = true;
  wake_();
}

}  // namespace partita::postgres
