// Who is asking. On a loopback address any well-formed Signature Version 4 credentials are taken at their word; the
// signature itself is not verified here yet, and this is its place.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

namespace partita::auth {

struct Caller {
  std::string access_key_id;
  std::string region;      // the one that the request was signed for
  std::string account_id;  // twelve digits
};

// Why a request has no Caller, as AWS tells them apart; `wire` has their names and texts.
enum class Refusal : uint8_t {
  kMissingToken,         // neither an Authorization header nor a presigned query
  kIncompleteSignature,  // a part of the credentials is missing or malformed; `detail` says which, in AWS's words
  kInvalidSignature,     // credentials that contradict themselves or are for another service; `detail` as above
};

struct Refused {
  Refusal why;
  std::string detail;
};

using Verdict = std::variant<Caller, Refused>;

// The parts of an HTTP request that a signature covers. `header` finds one by its lower-case name, empty when absent.
struct Facts {
  std::string_view method;
  std::string_view target;  // path and query, as sent
  std::function<std::string_view(std::string_view)> header;
  std::string_view body;
};

// Takes the header form and the presigned form. The checks and their order are AWS's, as far as they need no secret and
// no clock. Remembers whom it took last, as most requests come from the same. For one thread.
class Authenticator {
 public:
  Verdict authenticate(const Facts& facts);

 private:
  bool is_last(const Facts& facts, std::string_view authorization) const;
  Verdict by_header(const Facts& facts, std::string_view authorization);

  std::string opening_;  // of the header that named the last one: all before the signature
  Caller last_;
};

}  // namespace partita::auth
