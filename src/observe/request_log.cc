#include "observe/request_log.h"

#include <string>
#include <vector>

#include "auth/identities.h"
#include "ops/footprint.h"
#include "ops/operation.h"
#include "wire/fault_table.h"
#include "wire/legible.h"

namespace partita::observe {

namespace {

using wire::Exception;

bool is_refusal(const ops::Reply& reply) {
  if (reply.callers_fault) return true;
  if (!reply.error) return false;
  switch (static_cast<Exception>(*reply.error)) {
    case Exception::kMissingAuthenticationToken:
    case Exception::kIncompleteSignature:
    case Exception::kInvalidSignature:
    case Exception::kUnrecognizedClient:
    case Exception::kExpiredToken:
    case Exception::kAccessDenied:
      return true;
    default:
      return false;
  }
}

// A caller nobody knows must not fill the line with a name, so that what follows, such as the address, does not fit.
constexpr size_t kMostOfName = 255;

std::string named(std::string_view text) {
  std::string name = wire::legible(text);
  if (name.size() > kMostOfName) name.replace(kMostOfName, std::string::npos, "...");
  return name;
}

LogLevel level_of(const ops::Reply& reply, bool slow) {
  if (reply.status >= 500 && !reply.callers_fault) return LogLevel::kError;
  if (slow) return LogLevel::kWarn;
  return is_refusal(reply) ? LogLevel::kInfo : LogLevel::kDebug;
}

// Only calls of JSON name a target.
std::string operation_of(const ops::Call& call, const ops::Reply& reply) {
  if (call.target.empty() && reply.operation != nullptr) return std::string(reply.operation->name);
  const std::string_view name = call.target.substr(call.target.find('.') + 1);
  return name.empty() ? "A request without an operation" : named(name);
}

std::string user_of(const ops::Call& call) {
  const auth::Caller* const who = ops::known_caller(call);
  if (who == nullptr) return {};
  if (who->identity != nullptr) return who->identity->arn;
  return who->access_key_id.empty() ? std::string() : "access key " + named(who->access_key_id);
}

// " (request ID, table Music, user alice, from 10.0.0.7)"
std::string circumstances_of(const ops::Call& call, std::string_view space) {
  std::string text = " (request " + std::string(call.request_id);
  constexpr size_t kMostNamed = 3;
  const std::vector<std::string> about =
      call.footprint == nullptr ? std::vector<std::string>() : call.footprint->names();
  for (size_t i = 0; i < about.size() && i < kMostNamed; ++i) text += (i == 0 ? ", about " : " and ") + named(about[i]);
  if (about.size() > kMostNamed) text += " and " + std::to_string(about.size() - kMostNamed) + " more";
  if (!space.empty()) text.append(", namespace ").append(space);
  if (const std::string user = user_of(call); !user.empty()) text += ", by " + user;
  if (call.source != nullptr) {
    if (call.source->administrates()) text += ", over the administration socket";
    if (const std::string address = call.source->address(); !address.empty()) text += ", from " + address;
  }
  return text + ")";
}

}  // namespace

void RequestLog::write(const ops::Call& call, std::string_view space, const ops::Reply& reply, int64_t took_ns) {
  const int64_t took_ms = took_ns / 1'000'000;
  const LogLevel level = level_of(reply, took_ms >= slow_ms_);
  if (!logs(level)) return;
  uint64_t unsaid = 0;
  LogThrottle& throttle = level == LogLevel::kInfo ? refusals_ : failures_;
  if (!logs(LogLevel::kDebug) && !throttle.pass(unsaid)) return;
  std::string outcome = std::to_string(reply.status);
  if (reply.error) outcome.append(" ").append(wire::name_of(static_cast<Exception>(*reply.error)).name);
  const std::string others = unsaid == 0 ? "" : " (" + std::to_string(unsaid) + " more such lines were held back)";
  log(level, {operation_of(call, reply), " was answered ", outcome, " after ", std::to_string(took_ms), " ms",
              circumstances_of(call, space), reply.trouble().empty() ? "." : ": ", reply.trouble(), others});
}

}  // namespace partita::observe
