// The URL of a server that speaks HTTP: "http[s]://HOST[:PORT][/PATH]".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::net {

struct Url {
  std::string scheme = "http";  // or "https"
  std::string host;             // without the brackets of an IPv6 address
  std::string port = "80";      // in digits; that of the scheme if the URL has none
  std::string path = "/";       // with the query, as it will be sent

  // User names and passwords are refused. Error: kInvalid (reason 0), with one sentence.
  static Result<Url> parse(std::string_view text);

  // As in the Host header: without the scheme's own port, and with the brackets of an IPv6 address.
  std::string authority() const;
  std::string text() const { return scheme + "://" + authority() + path; }
};

}  // namespace partita::net
