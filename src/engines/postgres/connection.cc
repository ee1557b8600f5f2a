#include "engines/postgres/connection.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/random.h"

namespace partita::postgres {

namespace {

constexpr int kBinary = 1;

std::string draw_slot() {
  std::string slot;
  append_u64(slot, system_random().next());
  append_u64(slot, system_random().next());
  return slot;
}

}  // namespace

void PgConnection::open() {
  PARTITA_CHECK(state_ == State::kDown);
  auto attempt = ConnectAttempt::start(conn_info_.rotated(turn_++), wake_);
  if (attempt.ok()) {
    attempt_ = std::move(attempt).value();
    state_ = State::kConnecting;
  } else {
    last_error_ = attempt.error().sentence();
  }
}

std::string PgConnection::last_words() const {
  const std::string words = in_one_line(libpq().PQerrorMessage(session_.get()));
  return words.empty() ? "The connection to PostgreSQL was lost." : "PostgreSQL says: " + words;
}

void PgConnection::close() {
  attempt_.reset();
  session_.reset();
  state_ = State::kDown;
  due_ms_ = INT64_MAX;
}

void PgConnection::lose(const std::string& why) {
  last_error_ = why;
  close();
  for (OutstandingStatement& lost : std::exchange(outstanding_, {})) lost.done(StatementResult());
}

int PgConnection::socket() const { return session_ == nullptr ? -1 : libpq().PQsocket(session_.get()); }

short PgConnection::events() const {
  if (session_ == nullptr) return 0;
  // PQflush() says 1 while something is left to be sent.
  return libpq().PQflush(session_.get()) == 1 ? POLLIN | POLLOUT : POLLIN;
}

void PgConnection::progress(int64_t now_ms, bool can_write) {
  if (attempt_ != nullptr && attempt_->is_over()) return connected(now_ms);
  if (session_ == nullptr) return;
  if (can_write && !outstanding_.empty())
    wait_for_front(now_ms);  // a large statement takes long to send over a slow network
  if (now_ms >= due_ms_) return lose("PostgreSQL does not answer.");
  receive(now_ms);
}

void PgConnection::connected(int64_t now_ms) {
  session_ = attempt_->take();
  attempt_.reset();
  if (session_ == nullptr) return lose("PostgreSQL does not answer.");
  if (libpq().PQstatus(session_.get()) != CONNECTION_OK) return lose(last_words());
  if (libpq().PQsetnonblocking(session_.get(), 1) != 0 || libpq().PQenterPipelineMode(session_.get()) != 1) {
    return lose(last_words());
  }
  prepare(now_ms);
}

// It is known as sent before it is, since from then on no memory may run out. A sync behind each statement: it commits
// by itself, and what fails takes nothing behind it along.
template <class Send>
void PgConnection::await(int64_t now_ms, Timeouts timeouts, Done done, Send send) {
  outstanding_.push_back({std::move(done), timeouts, StatementResult()});
  if (outstanding_.size() == 1) wait_for_front(now_ms);
  if (!send() || libpq().PQpipelineSync(session_.get()) != 1) lose(last_words());
}

void PgConnection::wait_for_front(int64_t now_ms) {
  const Timeouts& timeouts = outstanding_.front().timeouts;
  due_ms_ = std::min(now_ms + timeouts.answer_ms, timeouts.until_ms);
}

// All at once; it is ready when the last has been answered, and lost when one fails.
void PgConnection::prepare(int64_t now_ms) {
  const Done expect_success = [this](StatementResult&& reply) {
    if (reply.kind == StatementResult::Kind::kFailed && last_error_.empty()) last_error_ = reply.error.sentence();
  };
  last_error_.clear();
  const auto run = [&](const char* sql, int values, const char* value, int length) {
    constexpr int kFormats[] = {kBinary};
    return libpq().PQsendQueryParams(session_.get(), sql, values, nullptr, &value, &length, kFormats, kBinary) == 1;
  };
  await(now_ms, {}, expect_success, [&] { return run(kSessionSql, 0, nullptr, 0); });
  if (!conn_info_.alone && session_ != nullptr) {
    await(now_ms, {}, expect_success, [&] { return run(kShareSql, 0, nullptr, 0); });
  }
  for (const StatementText& text : statements()) {
    if (session_ == nullptr) return;
    await(now_ms, {}, expect_success,
          [&] { return libpq().PQsendPrepare(session_.get(), text.name, text.sql, 0, nullptr) == 1; });
  }
  if (session_ == nullptr) return;
  const Done ready = [this, expect_success](StatementResult&& reply) {
    const bool lost = reply.kind == StatementResult::Kind::kLost;
    expect_success(std::move(reply));
    if (lost || !last_error_.empty()) return;
    state_ = State::kReady;
    --turn_;  // this host is as good the next time
  };
  count = 0;
  slot_ = draw_slot();
  await(now_ms, {}, ready, [&] {
    return run(marked_ ? kMarkSql : "SELECT 1", marked_ ? 1 : 0, slot_.data(), static_cast<int>(slot_.size()));
  });
}

void PgConnection::send(PreparedStatement statement, Parameters parameters, int64_t now_ms, Timeouts timeouts,
                        Done done) {
  PARTITA_CHECK(state_ == State::kReady);
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const std::string& value : parameters.values()) {
    values.push_back(value.data());
    lengths.push_back(static_cast<int>(value.size()));
    formats.push_back(kBinary);
  }
  await(now_ms, timeouts, std::move(done), [&] {
    return libpq().PQsendQueryPrepared(session_.get(), name_of(statement), static_cast<int>(values.size()),
                                       values.data(), lengths.data(), formats.data(), kBinary) == 1;
  });
}

void PgConnection::take(PGresult* result) {
  Rows rows(result);
  StatementResult& reply = outstanding_.front().reply;
  switch (libpq().PQresultStatus(result)) {
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
      reply.kind = StatementResult::Kind::kRows;
      reply.rows = std::move(rows);
      return;
    case PGRES_PIPELINE_SYNC: {
      OutstandingStatement done = std::move(outstanding_.front());
      outstanding_.pop_front();
      done.done(std::move(done.reply));
      return;
    }
    default: {
      const char* const state = libpq().PQresultErrorField(result, PG_DIAG_SQLSTATE);
      reply.kind = StatementResult::Kind::kFailed;
      reply.error_class = classify(state == nullptr ? "" : state);
      reply.exhausted = is_exhaustion(state == nullptr ? "" : state);
      reply.error = to_error(state == nullptr ? "" : state, libpq().PQresultErrorMessage(result));
    }
  }
}

void PgConnection::receive(int64_t now_ms) {
  if (libpq().PQconsumeInput(session_.get()) != 1) return lose(last_words());
  bool answered = false;
  while (session_ != nullptr && !outstanding_.empty() && libpq().PQisBusy(session_.get()) == 0) {
    answered = true;
    if (PGresult* const result = libpq().PQgetResult(session_.get())) take(result);
    if (session_ != nullptr && libpq().PQstatus(session_.get()) == CONNECTION_BAD) return lose(last_words());
  }
  if (session_ == nullptr) return;
  if (outstanding_.empty()) {
    due_ms_ = INT64_MAX;
    if (state_ == State::kConnecting) lose(last_error_.empty() ? last_words() : std::string(last_error_));
  } else if (answered) {
    wait_for_front(now_ms);
  }
}

}  // namespace partita::postgres
