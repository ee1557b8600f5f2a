#include "engines/postgres/connect_attempt.h"

#include <poll.h>

#include <chrono>
#include <new>
#include <utility>
#include <vector>

namespace partita::postgres {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

ConnectAttempt::ConnectAttempt(ConnInfo conn_info, std::function<void()> wake, PollWakeup stop)
    : conn_info_(std::move(conn_info)), wake_(std::move(wake)), stop_(std::move(stop)) {}

Result<std::unique_ptr<ConnectAttempt>> ConnectAttempt::start(ConnInfo conn_info, std::function<void()> wake) {
  PARTITA_TRY(PollWakeup stop, PollWakeup::open());
  std::unique_ptr<ConnectAttempt> attempt(new ConnectAttempt(std::move(conn_info), std::move(wake), std::move(stop)));
  PARTITA_TRY(attempt->thread_,
              Thread::start("pg-connect", [raw = attempt.get()](const std::stop_token&) { raw->run(); }));
  return attempt;
}

ConnectAttempt::~ConnectAttempt() {
  stop_.wake();
  if (thread_.joinable()) thread_.join();
}

void ConnectAttempt::run() {
  try {
    connect();
  } catch (const std::bad_alloc&) {
    session_.reset();
  }
  over_ = true;
  wake_();
}

void ConnectAttempt::connect() {
  const std::vector<const char*> names = conn_info_.names();
  const std::vector<const char*> values = conn_info_.values();
  const auto end = Clock::now() + std::chrono::milliseconds(conn_info_.connect_timeout_ms());
  Session session(libpq().PQconnectStartParams(names.data(), values.data(), 0));
  PostgresPollingStatusType step = PGRES_POLLING_WRITING;
  while (libpq().PQstatus(session.get()) != CONNECTION_BAD && step != PGRES_POLLING_OK) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    const short event = step == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    pollfd events[] = {{stop_.descriptor(), POLLIN, 0}, {libpq().PQsocket(session.get()), event, 0}};
    const bool in_time = left > 0 && poll(events, 2, static_cast<int>(left)) != 0;
    if (!in_time || events[0].revents != 0) {
      session.reset();
      break;
    }
    step = libpq().PQconnectPoll(session.get());
    if (step == PGRES_POLLING_FAILED) break;
  }
  session_ = std::move(session);
}

}  // namespace partita::postgres
