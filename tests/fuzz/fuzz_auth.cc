// Signatures: whatever is sent, nobody is let in without the secret, and what came before changes nothing.
//
// Input: a line for the target, then lines "name: value" of headers, and the body behind an empty one.
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "auth/authenticate.h"
#include "auth/credentials.h"
#include "input.h"

namespace partita::fuzz {
namespace {

using auth::Authenticator;
using auth::Facts;
using auth::Verdict;

struct Request {
  std::string_view target;
  std::multimap<std::string, std::string_view, std::less<>> headers;
  std::string_view body;

  Facts facts() const {
    return {"POST", target,
            [this](std::string_view name, size_t place) -> std::optional<std::string_view> {
              auto [at, end] = headers.equal_range(name);
              for (; at != end && place > 0; --place) ++at;
              return at == end ? std::nullopt : std::optional(at->second);
            },
            body};
  }
};

Request read(Input& in) {
  Request request;
  request.target = in.line();
  for (std::string_view line = in.line(); !line.empty(); line = in.line()) {
    const size_t colon = std::min(line.find(": "), line.size());
    request.headers.emplace(line.substr(0, colon), line.substr(std::min(colon + 2, line.size())));
  }
  request.body = in.rest();
  return request;
}

std::string told(Authenticator& authenticator, const Request& request) {
  const Facts facts = request.facts();
  const Verdict verdict = auth::verify(authenticator.claim(facts), facts);
  if (const auto* refused = std::get_if<auth::Refused>(&verdict)) return refused->detail;
  return "taken: " + std::get<0>(verdict)->access_key_id + " " + std::get<0>(verdict)->region;
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::fuzz;
  static const auto credentials =
      partita::auth::Credentials::parse("[a]\naws_access_key_id=K\naws_secret_access_key=unknown to all\n").value();
  static const partita::ManualClock clock(1'767'323'045'000);  // 20260102T030405Z
  Input in(data, size);
  const Request request = read(in);
  for (const auto* known : {&credentials, static_cast<const partita::auth::Credentials*>(nullptr)}) {
    Authenticator authenticator(known, clock);
    const std::string first = told(authenticator, request);
    PARTITA_CHECK(told(authenticator, request) == first);
    PARTITA_CHECK(known == nullptr || !first.starts_with("taken"));
  }
  static_cast<void>(partita::auth::Credentials::parse(in.rest()).ok());
  return 0;
}
