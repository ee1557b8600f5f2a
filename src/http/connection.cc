#include "http/connection.h"

#include <array>
#include <utility>

#include "auth/authenticate.h"
#include "base/bytes.h"

namespace partita::http {

namespace {

using State = RequestReader::State;
using Method = RequestReader::Method;

constexpr std::string_view kText = "text/plain; charset=utf-8";
// How much of a refused request is read, so that the client sees the refusal before the connection ends.
constexpr size_t kMostDrained = size_t{64} << 20;
constexpr int64_t kDrainMs = 5'000;

bool is_root(std::string_view target) { return target.substr(0, target.find('?')) == "/"; }

}  // namespace

Connection::Connection(Site& site, std::unique_ptr<Stream> stream)
    : site_(site), stream_(std::move(stream)), reader_({site.options.max_head_bytes, site.options.max_body_bytes}) {}

int64_t Connection::time_of(Phase phase) const {
  switch (phase) {
    case Phase::kIdle:
      return site_.options.idle_timeout_ms;
    case Phase::kDraining:
      return kDrainMs;
    default:
      return site_.options.request_timeout_ms;
  }
}

// A head has one deadline for all of it; every piece of a body, and every reply, has one of its own.
void Connection::enter(Phase phase) {
  const bool goes_on = phase == phase_ && (phase == Phase::kHead || phase == Phase::kDraining);
  if (!goes_on) deadline_ns_ = site_.now_ns + time_of(phase) * 1'000'000;
  phase_ = phase;
}

void Connection::sweep() {
  if (phase_ != Phase::kHandling && site_.now_ns > deadline_ns_) stream_->close();
}

void Connection::stop() {
  if (phase_ == Phase::kIdle || phase_ == Phase::kDraining) stream_->close();
}

Task<> Connection::serve() {
  bool keep_alive = true;
  while (keep_alive) {
    const State state = co_await read_request();
    if (state == State::kMore) co_return;
    if (state != State::kComplete) {
      co_await refuse(state);
      co_await drain();
      co_return;
    }
    keep_alive = reader_.keep_alive() && !site_.stopping;
    const bool sent = co_await answer(keep_alive);
    if (!sent) co_return;
    keep_alive = keep_alive && !site_.stopping;
  }
  stream_->shutdown();
}

// kMore: the connection has ended.
Task<State> Connection::read_request() {
  State state = reader_.next();
  bool had_head = false;
  while (state == State::kMore) {
    if (reader_.head_complete() && !had_head) {
      had_head = true;
      if (reader_.expects_continue()) {
        WriteBytes go_on(*stream_, "HTTP/1.1 100 Continue\r\n\r\n", {});
        const bool sent = co_await go_on;
        if (!sent) co_return State::kMore;
      }
    }
    enter(reader_.idle() ? Phase::kIdle : had_head ? Phase::kBody : Phase::kHead);
    ReadBytes read(*stream_, reader_.space());
    const size_t size = co_await read;
    if (size == 0) co_return State::kMore;
    state = reader_.received(size);
  }
  co_return state;
}

Task<bool> Connection::answer(bool keep_alive) {
  const Method method = reader_.method();
  const bool from_page = !reader_.header("origin").empty();
  if ((method == Method::kGet || method == Method::kHead) && is_root(reader_.target()))
    return answer_health(keep_alive);
  if (method == Method::kOptions && from_page) return answer_preflight(keep_alive);
  return answer_call(keep_alive);
}

// Anything but POST is a call of nothing: what that is answered with is the handler's business.
Task<bool> Connection::answer_call(bool keep_alive) {
  phase_ = Phase::kHandling;
  ops::Call call{{}, {}, {}, auth::Refused{}};
  if (reader_.method() == Method::kPost) {
    const auth::Facts facts{"POST", reader_.target(), [this](std::string_view name) { return reader_.header(name); },
                            reader_.body()};
    call = {reader_.header("x-amz-target"), reader_.header("content-type"), reader_.body(), auth::authenticate(facts)};
  }
  const ops::Reply reply = co_await site_.handler.call(call);
  ReplyHead head;
  head.status = reply.status;
  head.content_type = reply.content_type;
  head.keep_alive = keep_alive;
  const bool sent = co_await send(head, reply.body);
  co_return sent;
}

Task<bool> Connection::answer_health(bool keep_alive) {
  ReplyHead head;
  head.content_type = kText;
  head.keep_alive = keep_alive;
  const std::string body = "healthy: dynamodb." + site_.options.region + ".amazonaws.com ";
  const bool sent = co_await send(head, body);
  co_return sent;
}

// What a browser asks before a page of another origin may call.
Task<bool> Connection::answer_preflight(bool keep_alive) {
  constexpr std::array<std::array<std::string_view, 2>, 2> kEchoed = {{
      {"access-control-request-headers", "Access-Control-Allow-Headers: "},
      {"access-control-request-method", "Access-Control-Allow-Methods: "},
  }};
  std::string more;
  for (const auto& [asked, allowed] : kEchoed) {
    const std::string_view value = reader_.header(asked);
    if (!value.empty()) more.append(allowed).append(value).append("\r\n");
  }
  more += "Access-Control-Max-Age: 172800\r\n";
  ReplyHead head;
  head.keep_alive = keep_alive;
  head.more = more;
  const bool sent = co_await send(head, {});
  co_return sent;
}

Task<bool> Connection::send(ReplyHead head, std::string_view body) {
  head.cross_origin = !reader_.header("origin").empty();
  head.content_length = body.size();
  head.crc32 = crc32(body);
  head.request_id = site_.ids.next();
  head.date = site_.date.at(site_.clock.now_ms());
  head_.clear();
  append_head(head_, head);
  enter(Phase::kWriting);
  WriteBytes write(*stream_, head_, reader_.method() == Method::kHead ? std::string_view() : body);
  const bool sent = co_await write;
  co_return sent;
}

Task<> Connection::refuse(State why) {
  ReplyHead head;
  head.keep_alive = false;
  head.date = site_.date.at(site_.clock.now_ms());
  head.status = why == State::kHeadTooLarge ? 431 : why == State::kBodyTooLarge ? 413 : 400;
  head_.clear();
  append_head(head_, head);
  enter(Phase::kWriting);
  WriteBytes write(*stream_, head_, {});
  co_await write;
}

// Reads on for a little while after a refusal: closing at once would throw it away before a client that still sends has
// seen it.
Task<> Connection::drain() {
  stream_->shutdown();
  std::array<char, 4096> rest;
  size_t drained = 0;
  while (drained < kMostDrained) {
    enter(Phase::kDraining);
    ReadBytes read(*stream_, rest);
    const size_t size = co_await read;
    if (size == 0) co_return;
    drained += size;
  }
}

}  // namespace partita::http
