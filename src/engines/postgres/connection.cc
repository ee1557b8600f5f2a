#include "engines/postgres/connection.h"

#include <poll.h>

#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/random.h"

namespace partita::postgres {

namespace {

// A statement that is this late is on a server that hangs: locks are waited for less long.
constexpr int64_t kAnswerTimeoutMs = 30'000;
constexpr int kBinary = 1;

std::string draw_slot() {
  std::string slot;
  append_u64(slot, system_random().next());
  append_u64(slot, system_random().next());
  return slot;
}

}  // namespace

void Connection::open(int64_t now_ms) {
  PARTITA_CHECK(state_ == State::kDown);
  const Target target = target_.rotated(turn_++);
  const std::vector<const char*> names = target.names();
  const std::vector<const char*> values = target.values();
  session_ = PQconnectStartParams(names.data(), values.data(), 0);
  state_ = State::kConnecting;
  prepares_ = false;
  step_ = PGRES_POLLING_WRITING;
  due_ms_ = now_ms + target_.connect_timeout_ms();
  if (PQstatus(session_) == CONNECTION_BAD) lose(last_words());
}

std::string Connection::last_words() const {
  const std::string words = first_line(PQerrorMessage(session_));
  return words.empty() ? "The connection to PostgreSQL was lost." : "PostgreSQL says: " + words;
}

void Connection::close() {
  PQfinish(session_);
  session_ = nullptr;
  state_ = State::kDown;
  due_ms_ = INT64_MAX;
}

void Connection::lose(const std::string& why) {
  trouble_ = why;
  close();
  for (Sent& lost : std::exchange(sent_, {})) lost.done(Reply());
}

int Connection::socket() const { return state_ == State::kDown ? -1 : PQsocket(session_); }

short Connection::events() const {
  if (state_ == State::kConnecting && !prepares_) return step_ == PGRES_POLLING_READING ? POLLIN : POLLOUT;
  // PQflush() says 1 while something is left to be sent.
  return PQflush(session_) == 1 ? POLLIN | POLLOUT : POLLIN;
}

void Connection::progress(int64_t now_ms) {
  if (state_ == State::kDown) return;
  if (now_ms >= due_ms_) return lose("PostgreSQL does not answer.");
  if (state_ == State::kConnecting && !prepares_) return connect(now_ms);
  receive(now_ms);
}

void Connection::connect(int64_t now_ms) {
  step_ = PQconnectPoll(session_);
  if (step_ == PGRES_POLLING_FAILED) return lose(last_words());
  if (step_ != PGRES_POLLING_OK) return;
  if (PQsetnonblocking(session_, 1) != 0 || PQenterPipelineMode(session_) != 1) return lose(last_words());
  prepare(now_ms);
}

// All at once; it is ready when the last has been answered, and lost when one fails.
void Connection::prepare(int64_t now_ms) {
  prepares_ = true;
  const Done expect_success = [this](Reply&& reply) {
    if (reply.kind == Reply::Kind::kFailed && trouble_.empty()) trouble_ = reply.error.sentence();
  };
  trouble_.clear();
  const auto run = [&](const char* sql, int values, const char* value, int length) {
    constexpr int kFormats[] = {kBinary};
    return PQsendQueryParams(session_, sql, values, nullptr, &value, &length, kFormats, kBinary) == 1;
  };
  await(run(kSessionSql, 0, nullptr, 0), now_ms, expect_success);
  for (const StatementText& text : statements()) {
    if (session_ == nullptr) return;
    await(PQsendPrepare(session_, text.name, text.sql, 0, nullptr) == 1, now_ms, expect_success);
  }
  if (session_ == nullptr) return;
  const Done ready = [this, expect_success](Reply&& reply) {
    const bool lost = reply.kind == Reply::Kind::kLost;
    expect_success(std::move(reply));
    if (lost || !trouble_.empty()) return;
    state_ = State::kReady;
    --turn_;  // this host is as good the next time
  };
  count = 0;
  slot_ = draw_slot();
  await(run(marked_ ? kMarkSql : "SELECT 1", marked_ ? 1 : 0, slot_.data(), static_cast<int>(slot_.size())), now_ms,
        ready);
}

void Connection::send(Statement statement, Parameters parameters, int64_t now_ms, Done done) {
  PARTITA_CHECK(state_ == State::kReady);
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const std::string& value : parameters.values()) {
    values.push_back(value.data());
    lengths.push_back(static_cast<int>(value.size()));
    formats.push_back(kBinary);
  }
  const bool accepted = PQsendQueryPrepared(session_, name_of(statement), static_cast<int>(values.size()),
                                            values.data(), lengths.data(), formats.data(), kBinary) == 1;
  await(accepted, now_ms, std::move(done));
}

// A sync behind each statement: it commits by itself, and what fails takes nothing behind it along.
void Connection::await(bool accepted, int64_t now_ms, Done done) {
  sent_.push_back({std::move(done), Reply()});
  if (sent_.size() == 1) due_ms_ = now_ms + kAnswerTimeoutMs;
  if (!accepted || PQpipelineSync(session_) != 1) lose(last_words());
}

void Connection::take(PGresult* result) {
  Rows rows(result);
  Reply& reply = sent_.front().reply;
  switch (PQresultStatus(result)) {
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
      reply.kind = Reply::Kind::kRows;
      reply.rows = std::move(rows);
      return;
    case PGRES_PIPELINE_SYNC: {
      Sent done = std::move(sent_.front());
      sent_.pop_front();
      done.done(std::move(done.reply));
      return;
    }
    default: {
      const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
      reply.kind = Reply::Kind::kFailed;
      reply.fate = fate_of(state == nullptr ? "" : state);
      reply.error = to_error(state == nullptr ? "" : state, PQresultErrorMessage(result));
    }
  }
}

void Connection::receive(int64_t now_ms) {
  if (PQconsumeInput(session_) != 1) return lose(last_words());
  bool answered = false;
  while (session_ != nullptr && !sent_.empty() && PQisBusy(session_) == 0) {
    answered = true;
    if (PGresult* const result = PQgetResult(session_)) take(result);
    if (session_ != nullptr && PQstatus(session_) == CONNECTION_BAD) return lose(last_words());
  }
  if (session_ == nullptr) return;
  if (sent_.empty()) {
    due_ms_ = INT64_MAX;
    if (state_ == State::kConnecting) lose(trouble_.empty() ? last_words() : std::string(trouble_));
  } else if (answered) {
    due_ms_ = now_ms + kAnswerTimeoutMs;
  }
}

}  // namespace partita::postgres
