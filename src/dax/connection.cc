#include "dax/connection.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/executor.h"
#include "base/log.h"
#include "base/reserve.h"
#include "base/workers.h"
#include "dax/definitions.h"
#include "dax/endpoints.h"
#include "dax/item_codec.h"
#include "dax/other_protocol.h"
#include "model/fault.h"
#include "ops/footprint.h"
#include "ops/table_meters.h"
#include "wire/dax/error.h"
#include "wire/error_body.h"

namespace partita::dax {

namespace {

using model::Fault;
using net::RequestResources;
using wire::dax::RequestScanner;
using wire::dax::ScanStatus;
using Method = wire::dax::Method;

// Decodes within what is left of the budget.
class BudgetSource final : public wire::dax::MemorySource {
 public:
  explicit BudgetSource(BudgetShare& share) : share_(share) {}
  bool take(size_t bytes) override { return RequestResources::take(share_, share_.bytes() + bytes); }

 private:
  BudgetShare& share_;
};

// Of the bytes of a request: what they are decoded to, the digest of a transaction, and the batch that is written. What
// decoded values take beyond them is counted as they are decoded.
constexpr size_t kCopies = 3;
constexpr size_t kKeptReply = 32768;  // of the memory that it holds
constexpr uint8_t kLastFrame = 1;
constexpr int kYieldAfter = 2;
// How the second client for Go names itself.
constexpr std::string_view kGoV2 = "DaxGoV2Client";
constexpr int kWorkOfAuthorisation = 1;

// What an operation on tables is called that has a number in DAX's protocol; empty for all others.
std::string_view name_of_refused(Method method) {
  switch (method) {
    case Method::kListTables:
      return "ListTables";
    case Method::kDescribeTable:
      return "DescribeTable";
    case Method::kDeleteTable:
      return "DeleteTable";
    case Method::kDescribeLimits:
      return "DescribeLimits";
    case Method::kCreateTable:
      return "CreateTable";
    case Method::kUpdateTable:
      return "UpdateTable";
    default:
      return {};
  }
}

// As what requests for nodes and authorisations count.
const ops::Operation* describe_endpoints() { return ops::find_operation("DescribeEndpoints"); }

bool is_definition(Method method) {
  return method == Method::kDefineKeySchema || method == Method::kDefineAttributeListId ||
         method == Method::kDefineAttributeList;
}

}  // namespace

// Until it is authorised, an idle connection has the time of a request: strangers must not outlive clients of HTTP.
Connection::Connection(ThreadContext& context, std::unique_ptr<net::Stream> stream)
    : net::TimedConnection(std::move(stream), context.worker, context.options.request_timeout_ms,
                           context.options.request_timeout_ms),
      context_(context),
      received_(context.resources.budget),
      authorisation_(context.verifier) {}

// --- requests
// ---------------------------------------------------------------------------------------------------------

Task<> Connection::serve() {
  Next next = Next::kGoOn;
  bool greeted = false;
  int work = 0;  // done since something was read
  while (next == Next::kGoOn && !context_.worker.stopping) {
    RequestScanner scanner(greeted ? RequestScanner::Kind::kRequest : RequestScanner::Kind::kPreamble,
                           context_.options.max_request_bytes);
    ScanStatus status = scanner.scan(received_.bytes());
    // It came together with the one before. Pipelined requests yield between two of them; an authorisation comes in
    // front of one.
    if (status == ScanStatus::kComplete && work >= kYieldAfter) {
      work = 0;
      co_await Yield();
    }
    while (status == ScanStatus::kMore) {
      const std::optional<Error> refused = refusal_of(scanner.size());
      const std::span<char> space = refused ? std::span<char>() : received_.space(scanner.size());
      if (space.empty()) {
        Error error = refused ? *refused : model::refuse(Fault::kOverloaded);
        co_await refuse(std::move(error));
        co_return co_await drain();
      }
      const size_t before = received_.bytes().size();
      enter(before == 0 ? Phase::kIdle : Phase::kBody, before);
      net::ReadBytes read(stream(), space, before > net::kSmallRequest);
      const size_t size = co_await read;
      if (size == 0) co_return;
      work = 0;
      received_.received(size);
      status = scanner.scan(received_.bytes());
    }
    if (status == ScanStatus::kMalformed) co_return co_await turn_away(greeted);
    if (status != ScanStatus::kComplete) co_return co_await give_up(status, scanner.size());
    const std::string_view request = received_.bytes().substr(0, scanner.size());
    if (!greeted) {
      greeted = greet(request);
      if (!greeted) co_return;
    } else if (scanner.method() == Method::kAuthorizeConnection) {
      if (!authorise(request.substr(scanner.arguments_at()))) co_return co_await turn_away(greeted);
      work += kWorkOfAuthorisation;
    } else {
      next = co_await answer(scanner.method(), request.substr(scanner.arguments_at()));
      work = kYieldAfter;
    }
    received_.consume(scanner.size());
  }
  stream().shutdown();
}

// Why a request of at least `bytes` is not read on: a large one takes memory, so its caller must be known.
std::optional<Error> Connection::refusal_of(size_t bytes) {
  if (std::max(bytes, received_.bytes().size()) <= net::kSmallRequest) return std::nullopt;
  const ops::Call call = begin_call();
  const auto caller = ops::caller_of(call);
  if (caller.ok()) return std::nullopt;
  return caller.error();
}

// False: this is no client of DAX's, or one of another protocol.
bool Connection::greet(std::string_view preamble) {
  const auto read = wire::dax::read_preamble(preamble);
  if (!read.ok()) {
    log(LogLevel::kDebug,
        {"The preamble of a DAX client at ", address(), " was refused: ", wire::message_of(read.error())});
    return false;
  }
  framed_ = read->framed;
  user_agent_ = read->user_agent.substr(0, kMaxUserAgent);
  always_selects_ = user_agent_.starts_with(kGoV2);
  return true;
}

// There is no reply, so a failure is counted here; the requests that it answers count too. False: it is malformed.
bool Connection::authorise(std::string_view arguments) {
  wire::CborReader in(arguments);
  Proof proof;
  proof.access_key_id = in.text();
  proof.signature = in.text();
  proof.string_to_sign = in.bytes();
  if (!in.take_null()) proof.session_token = in.text();
  if (!in.take_null()) static_cast<void>(in.text());  // the user agent, which the preamble has too
  if (!in.finished()) return false;
  authorisation_.prove(proof);
  if (std::holds_alternative<auth::Refused>(authorisation_.verdict(context_.worker.now_ns))) [[unlikely]] {
    const ops::Call call = begin_call();
    note_refused(call, ops::caller_of(call).error(), describe_endpoints());
  } else {
    set_idle_timeout(context_.options.idle_timeout_ms);
  }
  return true;
}

Task<Connection::Next> Connection::answer(Method method, std::string_view arguments) {
  if (method == Method::kEndpoints) return answer_endpoints();
  if (const std::string_view name = name_of_refused(method); !name.empty()) {
    return refuse(model::refuse(Fault::kDaxUnsupported, {std::string(name)}));
  }
  return answer_call(method, arguments);
}

ops::Call Connection::begin_call() {
  context_.ids.next(id_);
  const int64_t now_ns = context_.clock.monotonic_ns();
  ops::Call call{{}, {}, {}, authorisation_.verdict(now_ns), {}, this, {id_.data(), id_.size()}};
  call.began_ns = now_ns;
  return call;
}

// Of one call, made in place.
struct Connection::Codec {
  std::optional<ItemCodec> items;
  std::optional<DefinitionCodec> definition;

  ops::CallCodec& make(Method method, const ItemCodec::Wires& wires) {
    if (is_definition(method)) return definition.emplace(method, wires.arguments, wires.out);
    return items.emplace(method, wires);
  }
  void clear() {
    items.reset();
    definition.reset();
  }
};

Task<Connection::Next> Connection::answer_call(Method method, std::string_view arguments) {
  begin_handling();
  ops::Call call = begin_call();
  ops::RequestFootprint footprint;
  call.footprint = &footprint;
  BudgetShare share(context_.resources.budget);
  // Decoding a large request takes milliseconds, in which other connections of this thread would wait.
  const bool large = arguments.size() > net::kSmallRequest;
  Executor* const home = Executor::current();
  begin_reply();
  Codec codecs;
  // The lists that this thread knows are for this thread alone.
  BudgetSource memory(share);
  const ItemCodec::Wires wires{arguments, call.request_id,         large ? nullptr : &context_.lists,
                               *reply_,   context_.options.caches, always_selects_,
                               &memory};
  ops::CallCodec& codec = codecs.make(method, wires);
  Result<void> done;
  bool failed = false;
  try {
    if (large) co_await context_.resources.background.enter();
    const size_t needed = arguments.size() <= net::kUncountedBytes ? 0 : kCopies * arguments.size();
    if (memory_reserve_held() && RequestResources::take(share, needed)) {
      done = co_await context_.handler.call_by(call, codec);
    } else {
      done = model::refuse(Fault::kOverloaded);
    }
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  co_await SwitchTo{home};  // an allocation may have failed on a background thread
  if (failed) done = model::refuse(Fault::kInternal);
  if (!done.ok() && !(codecs.items && codecs.items->write_failure())) write_refusal(done.error());
  const size_t held = reply_->size() <= net::kUncountedBytes ? 0 : reply_->capacity();
  if (!RequestResources::take(share, held)) {
    if (codecs.items && codecs.items->has_written()) {
      share.resize_anyway(held);
    } else {
      done = model::refuse(Fault::kOverloaded);
      write_refusal(done.error());
      share.release();
    }
  }
  // Definitions are a part of the protocol and no calls of DynamoDB, unless they fail.
  if (!done.ok() || codecs.items) {
    const ops::Reply outcome = ops::outcome_of(codec.operation(), done);
    context_.handler.answered(call, outcome, context_.clock.monotonic_ns() - call.began_ns);
  }
  // A slow client keeps the reply alone.
  codecs.clear();
  done = {};
  net::WriteBytes write = send();
  const bool sent = co_await write;
  end_reply();
  co_return sent ? Next::kGoOn : Next::kEnd;
}

Task<Connection::Next> Connection::answer_endpoints() {
  const ops::Call call = begin_call();
  const auto caller = context_.handler.admit(call);
  if (caller.ok()) {
    begin_reply();
    reply_->array(0);
    write_endpoints(*reply_, context_.options, stream().local(), (*caller)->region + "a");
  } else {
    write_refusal(caller.error());
    note_refused(call, caller.error(), describe_endpoints());
  }
  net::WriteBytes write = send();
  const bool sent = co_await write;
  co_return sent ? Next::kGoOn : Next::kEnd;
}

// --- replies
// ----------------------------------------------------------------------------------------------------------

// Answers what is no call of the handler's. `operation`: as which it counts; null: as none.
Task<Connection::Next> Connection::refuse(Error error, const ops::Operation* operation) {
  const ops::Call call = begin_call();
  const auto caller = context_.handler.admit(call);
  if (!caller.ok()) error = caller.error();
  write_refusal(error);
  note_refused(call, error, operation);
  net::WriteBytes write = send();
  const bool sent = co_await write;
  co_return sent ? Next::kGoOn : Next::kEnd;
}

void Connection::note_refused(const ops::Call& call, const Error& error, const ops::Operation* operation) {
  ops::Reply reply = ops::refusal(error);
  reply.operation = operation;
  context_.handler.answered(call, reply, context_.clock.monotonic_ns() - call.began_ns);
}

// Bytes that are no request of DAX end the connection: without a word, unless they are HTTP.
Task<> Connection::turn_away(bool greeted) {
  const OtherProtocol protocol = greeted ? OtherProtocol::kUnknown : other_protocol(received_.bytes());
  std::string_view what = greeted ? " sent a request that is malformed." : " sent bytes that are no preamble of DAX.";
  if (protocol == OtherProtocol::kHttp) what = " spoke HTTP to the DAX port: DynamoDB's API is at --listen.";
  if (protocol == OtherProtocol::kTls && !encrypted()) what = " spoke TLS to the DAX port of --dax: it has none.";
  log(LogLevel::kDebug, {greeted ? "A DAX client at " : "A client at ", address(), what});
  if (protocol != OtherProtocol::kHttp) co_return;
  enter(Phase::kWriting, kReplyToHttp.size());
  net::WriteBytes write(stream(), kReplyToHttp, {});
  const bool sent = co_await write;
  if (sent) co_await drain();
}

// A request that cannot be skipped ends the connection. It has `bytes` at least.
Task<> Connection::give_up(ScanStatus status, size_t bytes) {
  const bool large = status == ScanStatus::kTooLarge;
  Error error =
      large ? model::refuse(Fault::kDaxMalformed,
                            {"it has more than " + std::to_string(context_.options.max_request_bytes) + " bytes"})
            : model::refuse(Fault::kDaxUnsupported, {"A method of this number"});
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  if (large && throttle.pass(unsaid)) {
    log(LogLevel::kInfo,
        {"A request of a DAX client at ", address(), " was refused: it has at least ", std::to_string(bytes),
         " bytes, and the limit is ", std::to_string(context_.options.max_request_bytes), "."});
  }
  co_await refuse(std::move(error));
  co_await drain();
}

void Connection::begin_reply() {
  if (reply_) {
    reply_->cut(0);
  } else {
    reply_.emplace();
  }
}

// Frees the memory of a large reply.
void Connection::end_reply() {
  if (reply_->capacity() > kKeptReply) reply_.reset();
}

void Connection::write_refusal(const Error& error) {
  if (reply_) end_reply();  // what was written of another one
  begin_reply();
  const std::string_view id(id_.data(), id_.size());
  if (authorisation_.lapsed()) return wire::dax::encode_authorisation_lapsed(*reply_, id);
  wire::dax::encode_error(*reply_, error, id);
}

// What begin_reply() began, in one frame if the client wants frames.
net::WriteBytes Connection::send() {
  const std::string_view reply = reply_->view();
  enter(Phase::kWriting, reply.size());
  if (!framed_) return {stream(), reply, {}};
  const auto size = static_cast<uint32_t>(frame_.size() + reply.size());
  frame_ = {static_cast<char>(size >> 24), static_cast<char>(size >> 16), static_cast<char>(size >> 8),
            static_cast<char>(size), kLastFrame};
  return {stream(), {frame_.data(), frame_.size()}, reply};
}

Task<> Connection::drain() {
  received_.release();
  return TimedConnection::drain(context_.discarded);
}

}  // namespace partita::dax
