#include "http/connection.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "auth/authenticate.h"
#include "base/bytes.h"
#include "base/executor.h"
#include "base/log.h"
#include "base/reserve.h"
#include "http/host.h"
#include "net/request_resources.h"
#include "ops/footprint.h"
#include "ops/table_meters.h"

namespace partita::http {

namespace {

using State = RequestReader::State;
using Method = RequestReader::Method;
using net::RequestResources;

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr int kNotModified = 304;
// A body of up to this size is read before its caller is authenticated: DynamoDB parses the JSON first.
constexpr size_t kSmallBody = net::kSmallRequest;
// A packed body of up to this size is unpacked on the serving thread, if the text is small: a larger one takes
// milliseconds.
constexpr size_t kQuicklyUnpacked = size_t{16} << 10;
// Replies of at least this size are packed for clients that accept it, as AWS does.
constexpr size_t kLeastPacked = 4096;
// A reply of up to this size is copied behind its head: that costs less than a system call with two pieces.
constexpr size_t kSentAsOne = 2048;

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

int status_of(State refused) { return refused == State::kBodyTooLarge ? 413 : 400; }

std::string_view operation_of(const ops::Call& call) {
  const std::string_view name = call.target.substr(call.target.find('.') + 1);
  return name.empty() ? "A request without an operation" : name;
}

ReplyHead head_of(const ops::Reply& reply, bool keep_alive) {
  ReplyHead head;
  head.status = reply.status;
  head.content_type = reply.content_type;
  head.keep_alive = keep_alive;
  head.retry_after_ms = reply.retry_after_ms;
  return head;
}

}  // namespace

Connection::Connection(ThreadContext& context, std::unique_ptr<net::Stream> stream)
    : net::TimedConnection(std::move(stream), context.worker, context.options.idle_timeout_ms,
                           context.options.request_timeout_ms),
      context_(context),
      administrates_(context.administrator != nullptr),
      reader_({context.options.max_head_bytes, context.options.max_body_bytes}, context.budget) {}

Connection::~Connection() {
  if (gone_) gone_();
}

// --- requests
// ---------------------------------------------------------------------------------------------------------

Task<> Connection::serve() {
  bool keep_alive = true;
  while (keep_alive) {
    const Arrival arrival = co_await read_request();
    if (arrival == Arrival::kEnd) co_return;
    if (arrival == Arrival::kRefused) {
      co_await drain();
      co_return;
    }
    keep_alive = reader_.keep_alive() && !context_.worker.stopping;
    const bool sent = co_await answer(keep_alive);
    if (!sent) co_return;
    keep_alive = keep_alive && !context_.worker.stopping;
  }
  stream().shutdown();
}

Task<Connection::Arrival> Connection::read_request() {
  State state = reader_.next();
  // It came together with the one before. Pipelined requests yield between two of them.
  if (state == State::kComplete) co_await Yield();
  bool origin_checked = false;
  bool caller_checked = false;
  while (state == State::kMore) {
    if (reader_.head_complete()) {
      const bool refused = co_await refuse_early(origin_checked, caller_checked);
      if (refused) co_return Arrival::kRefused;
    }
    const std::span<char> space = reader_.space();
    if (space.empty()) {
      ops::Reply overloaded = ops::overloaded();
      const bool sent = co_await answer_with(std::move(overloaded), false);
      co_return sent ? Arrival::kRefused : Arrival::kEnd;
    }
    const bool in_body = reader_.head_complete();
    enter(reader_.idle() ? Phase::kIdle : in_body ? Phase::kBody : Phase::kHead, reader_.received_bytes());
    const bool bulky = in_body && std::max<uint64_t>(reader_.announced_bytes(), reader_.received_bytes()) > kSmallBody;
    net::ReadBytes read(stream(), space, bulky);
    const size_t size = co_await read;
    if (size == 0) {
      note_dax();
      co_return Arrival::kEnd;
    }
    state = reader_.received(size);
  }
  if (state == State::kComplete) co_return Arrival::kRequest;
  note_dax();
  const std::string_view repeated = reader_.repeated_header();
  std::string text;
  if (!repeated.empty()) text = "The header " + std::string(repeated) + " came twice.\n";
  co_await refuse(status_of(state), text);
  co_return Arrival::kRefused;
}

void Connection::note_dax() const {
  constexpr std::string_view kPreamble = "\x67J7yne5G";
  if (!reader_.bytes().starts_with(kPreamble)) return;
  log(LogLevel::kDebug, {"A client at ", address(), " spoke DAX to the HTTP port: give it the address of --dax."});
}

// Refuses before the body is read what the head alone decides: once by its origin (`origin_checked`), and by its caller
// as soon as the body is known to be large (`caller_checked`). True: the request was answered.
Task<bool> Connection::refuse_early(bool& origin_checked, bool& caller_checked) {
  const bool first = !std::exchange(origin_checked, true);
  if (first && !origin_is_allowed()) {
    co_await refuse_origin(false);
    co_return true;
  }
  const uint64_t size = std::max<uint64_t>(reader_.announced_bytes(), reader_.received_bytes());
  if (!caller_checked && size > kSmallBody) {
    caller_checked = true;
    if (reader_.method() != Method::kPost ||
        (!administrates_ && std::holds_alternative<auth::Refused>(context_.authenticator.claim(facts({}))))) {
      co_await answer_call("{}", false);
      co_return true;
    }
  }
  if (first && reader_.expects_continue()) {
    net::WriteBytes go_on(stream(), "HTTP/1.1 100 Continue\r\n\r\n", {});
    const bool sent = co_await go_on;
    if (!sent) stream().close();
  }
  co_return false;
}

Task<bool> Connection::answer(bool keep_alive) {
  const Method method = reader_.method();
  const bool fetches = method == Method::kGet || method == Method::kHead;
  if (fetches) {
    auto file = context_.handler.file(path_of(reader_.target()), *this);
    if (file) return answer_file(*std::move(file), keep_alive);
  }
  if (!origin_is_allowed()) return refuse_origin(keep_alive);
  if (fetches) {
    if (path_of(reader_.target()) != "/") return answer_page(keep_alive);
    return context_.options.root_refuses ? answer_with(ops::unsigned_call(), keep_alive) : answer_health(keep_alive);
  }
  if (method == Method::kOptions && !reader_.single(Once::kOrigin).empty()) return answer_preflight(keep_alive);
  return answer_call(reader_.body(), keep_alive);
}

auth::Facts Connection::facts(std::string_view body) const {
  return {"POST", reader_.target(),
          [this](std::string_view name, size_t place) { return reader_.value_of(name, place); }, body};
}

bool Connection::is_listed(std::string_view origin) const {
  return std::ranges::any_of(context_.options.allowed_origins, [&](const std::string& allowed) {
    return allowed == "*" || (allowed == origin && !origin.empty());
  });
}

// A page cannot forge its origin: if its name was made to resolve to this server (DNS rebinding), it still has the
// origin of that name, and browsers send the origin with every POST. So clients may call this server by any name. A GET
// may have no origin; pages with restricted content check is_local_host() too.
bool Connection::origin_is_allowed() const {
  if (!reader_.sent_by_page() || is_listed(reader_.single(Once::kOrigin))) return true;
  if (!context_.options.serves_pages) return false;
  const Sender sender{.origin = reader_.single(Once::kOrigin),
                      .host = reader_.single(Once::kHost),
                      .target = reader_.target(),
                      .site = reader_.single(Once::kFetchSite),
                      .encrypted = encrypted(),
                      .verified = context_.options.keys != nullptr};
  return is_own_page(sender);
}

// Anything but a POST is a call without an operation, which the handler answers.
ops::Call Connection::begin_call(std::string_view body) {
  context_.ids.next(id_);
  ops::Call call{{}, {}, {}, auth::Refused{}, {}, this, {id_.data(), id_.size()}};
  call.posted = reader_.method() == Method::kPost;
  if (!call.posted) return call;
  call.path = path_of(reader_.target());
  call.target = reader_.single(Once::kTarget);
  call.content_type = reader_.single(Once::kContentType);
  call.body = body;
  call.host = reader_.single(Once::kHost);
  call.space = reader_.single(Once::kNamespace);
  return call;
}

Task<bool> Connection::answer_call(std::string_view body, bool keep_alive) {
  begin_handling();
  const int64_t began_ns = context_.clock.monotonic_ns();
  ops::Call call = begin_call(body);
  ops::RequestFootprint footprint;
  call.footprint = &footprint;
  call.began_ns = began_ns;
  const auth::Facts asked = facts(body);
  const auth::Claimed claimed =
      call.posted && !administrates_ ? context_.authenticator.claim(asked) : auth::Claimed(auth::Refused{});
  // A verb that was killed while the server could not answer must not be carried out later.
  if (administrates_ && stream().closed_by_peer()) {
    log(LogLevel::kInfo, {operation_of(call), " was not carried out: who asked for it has gone."});
    co_return false;
  }
  ops::Reply reply;
  BudgetShare share(context_.budget);
  UnpackedBody unpacked(context_.budget);
  const bool packed = call.posted && !reader_.single(Once::kContentEncoding).empty();
  // Parsing a large body takes milliseconds, in which other connections of this thread would wait.
  const bool large = body.size() > (packed ? kQuicklyUnpacked : kSmallBody);
  Executor* const home = Executor::current();
  bool failed = false;
  try {
    if (large) co_await context_.background.enter();
    call.caller = administrates_ ? auth::Verdict(context_.administrator) : auth::verify(claimed, asked);
    bool unreadable = false;
    if (packed) [[unlikely]] {
      auto refused = co_await unpack(call, unpacked);
      unreadable = refused.has_value();
      if (unreadable) reply = *std::move(refused);
    }
    const size_t needed = call.body.size() <= net::kUncountedBytes ? 0 : context_.handler.memory_of(call);
    if (!unreadable && memory_reserve_held() && RequestResources::take(share, needed)) {
      reply = co_await context_.handler.call(call);
    } else if (!unreadable) {
      reply = ops::overloaded();
    }
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  co_await SwitchTo{home};  // an allocation may have failed on a background thread
  if (failed) reply = ops::out_of_memory();
  if (!RequestResources::take(share, reply.body.capacity())) {
    if (reply.repeatable) reply = ops::overloaded();
    share.resize_anyway(reply.body.capacity());
  }
  ops::match_content_type(call, reply);
  const int64_t took_ns = context_.clock.monotonic_ns() - began_ns;
  context_.handler.answered(call, reply, took_ns);
  ReplyHead head = head_of(reply, keep_alive);
  head.request_id = call.request_id;
  head.more = reply.headers();
  if (reply.body.size() >= kLeastPacked) head.content_encoding = name_of(co_await pack(reply, share));
  net::WriteBytes write = send(head, reply.body);
  const bool sent = co_await write;
  co_return sent;
}

// Unpacks the body of an authenticated caller. A value: the reply to a body that cannot be read.
Task<std::optional<ops::Reply>> Connection::unpack(ops::Call& call, UnpackedBody& unpacked) {
  using Outcome = UnpackedBody::Outcome;
  const std::string_view packed = std::exchange(call.body, {});
  if (std::holds_alternative<auth::Refused>(call.caller)) co_return std::nullopt;
  const std::optional<Coding> coding = coding_named(reader_.single(Once::kContentEncoding));
  if (!coding) co_return ops::undecodable("its Content-Encoding names no coding, or several.");
  if (*coding == Coding::kIdentity) {
    call.body = packed;
    co_return std::nullopt;
  }
  const size_t most = context_.options.max_body_bytes;
  Outcome outcome = Outcome::kLarger;
  if (packed.size() <= kQuicklyUnpacked) outcome = unpacked.read(*coding, packed, std::min(most, kSmallBody));
  if (outcome == Outcome::kLarger) {
    if (packed.size() <= kQuicklyUnpacked) co_await context_.background.enter();
    outcome = unpacked.read(*coding, packed, most);
  }
  switch (outcome) {
    case Outcome::kRead:
      call.body = unpacked.text();
      co_return std::nullopt;
    case Outcome::kLarger:
      co_return ops::too_large();
    case Outcome::kBroken:
      co_return ops::undecodable("its body is not what its Content-Encoding says, or not all of it.");
    case Outcome::kNoRoom:
      co_return ops::overloaded();
  }
  PARTITA_CHECK(false);
}

// Packs a reply in a coding that the client accepts; which one.
Task<Coding> Connection::pack(ops::Reply& reply, BudgetShare& share) {
  std::string_view accepted;
  for (size_t place = 0; const auto value = reader_.value_of("accept-encoding", place); ++place) accepted = *value;
  const Coding coding = coding_accepted(accepted);
  if (coding == Coding::kIdentity || !RequestResources::take(share, reply.body.capacity() + reply.body.size()))
    co_return Coding::kIdentity;
  Executor* const home = Executor::current();
  if (reply.body.size() > kSmallBody) co_await context_.background.enter();
  std::optional<std::string> packed = http::pack(coding, reply.body);
  co_await SwitchTo{home};
  if (packed) reply.body = *std::move(packed);
  share.resize_anyway(reply.body.capacity());
  co_return packed ? coding : Coding::kIdentity;
}

// --- replies without a handler
// -----------------------------------------------------------------------------------------------

Task<bool> Connection::answer_health(bool keep_alive) {
  begin_handling();
  const std::string trouble = co_await context_.handler.trouble();
  ReplyHead head;
  head.status = trouble.empty() ? 200 : 503;
  head.content_type = kText;
  head.keep_alive = keep_alive;
  std::string body = "healthy: dynamodb.";
  if (trouble.empty()) {
    body += (context_.options.region.empty() ? "us-east-1" : context_.options.region) + ".amazonaws.com ";
  } else {
    body = "unhealthy" + (is_local_host(reader_.single(Once::kHost)) ? ": " + trouble : std::string()) + "\n";
  }
  net::WriteBytes write = send(head, body);
  const bool sent = co_await write;
  co_return sent;
}

Task<bool> Connection::answer_file(File file, bool keep_alive) {
  begin_handling();
  UnpackedBody unpacked(context_.budget);
  if (file.unpack) {
    Executor* const home = Executor::current();
    auto outcome = UnpackedBody::Outcome::kNoRoom;
    try {
      co_await context_.background.enter();
      outcome = unpacked.read(Coding::kGzip, file.body, context_.options.max_body_bytes);
    } catch (const std::bad_alloc&) {
      static_cast<void>(0);  // it is answered as a request is that finds no memory
    }
    co_await SwitchTo{home};
    if (outcome != UnpackedBody::Outcome::kRead) co_return co_await answer_with(ops::overloaded(), keep_alive);
    file.body = unpacked.text();
  }
  ReplyHead head;
  head.status = file.status;
  head.content_type = file.content_type;
  head.content_encoding = file.content_encoding;
  head.content_length = file.body.size();
  head.date = context_.date.at(context_.clock.now_ms());
  head.keep_alive = keep_alive && !context_.worker.stopping;
  head.more = file.headers;
  head_.clear();
  append_head(head_, head);
  enter(Phase::kWriting, file.body.size());
  const bool without_body = reader_.method() == Method::kHead || file.status == kNotModified;
  net::WriteBytes write(stream(), head_, without_body ? std::string_view() : file.body);
  const bool sent = co_await write;
  co_return sent;
}

Task<bool> Connection::answer_page(bool keep_alive) {
  begin_handling();
  std::optional<ops::Reply> page = co_await context_.handler.page(path_of(reader_.target()), *this);
  if (!page) co_return co_await answer_call(reader_.body(), keep_alive);
  BudgetShare share(context_.budget);
  if (!RequestResources::take(share, page->body.capacity())) page = ops::overloaded();
  net::WriteBytes write = send(head_of(*page, keep_alive), page->body);
  const bool sent = co_await write;
  co_return sent;
}

// A browser's question before a page of another origin may call.
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
  net::WriteBytes write = send(head, {});
  const bool sent = co_await write;
  co_return sent;
}

Task<bool> Connection::refuse_origin(bool keep_alive) {
  context_.handler.refused(403);
  ReplyHead head;
  head.status = 403;
  head.content_type = kText;
  head.keep_alive = keep_alive;
  net::WriteBytes write = send(head, "Pages of this origin may not call this server: see --allow-origin.\n");
  const bool sent = co_await write;
  co_return sent;
}

Task<bool> Connection::answer_with(ops::Reply reply, bool keep_alive) {
  const auto header = [&](std::string_view name) {
    return reader_.head_complete() ? reader_.header(name) : std::string_view();
  };
  context_.handler.answered({header("x-amz-target"), header("content-type"), {}, auth::Refused{}}, reply, 0);
  net::WriteBytes write = send(head_of(reply, keep_alive), reply.body);
  const bool sent = co_await write;
  co_return sent;
}

// The result must be a variable that is awaited at once.
net::WriteBytes Connection::send(ReplyHead head, std::string_view body) {
  const std::string_view origin = reader_.head_complete() ? reader_.single(Once::kOrigin) : std::string_view();
  if (!origin.empty() && is_listed(origin)) head.allowed_origin = origin;
  head.keep_alive = head.keep_alive && !context_.worker.stopping;
  head.content_length = body.size();
  head.crc32 = crc32(body);
  if (head.request_id.empty()) {
    context_.ids.next(id_);
    head.request_id = {id_.data(), id_.size()};
  }
  head.date = context_.date.at(context_.clock.now_ms());
  head_.clear();
  append_head(head_, head);
  enter(Phase::kWriting, body.size());
  if (reader_.method() == Method::kHead) return {stream(), head_, {}};
  if (body.size() > kSentAsOne) return {stream(), head_, body};
  head_.append(body);
  return {stream(), head_, {}};
}

Task<> Connection::refuse(int status, std::string_view text) {
  context_.handler.refused(status);
  ReplyHead head;
  head.keep_alive = false;
  head.date = context_.date.at(context_.clock.now_ms());
  head.status = status;
  if (!text.empty()) head.content_type = kText;
  head.content_length = text.size();
  head.crc32 = crc32(text);
  head_.clear();
  append_head(head_, head);
  head_.append(text);
  enter(Phase::kWriting);
  net::WriteBytes write(stream(), head_, {});
  co_await write;
}

Task<> Connection::drain() {
  reader_.drop();
  return TimedConnection::drain(context_.discarded);
}

}  // namespace partita::http
