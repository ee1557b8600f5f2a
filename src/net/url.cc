#include "net/url.h"

#include <algorithm>
#include <charconv>

namespace partita::net {

namespace {

std::string_view port_of(std::string_view scheme) { return scheme == "https" ? "443" : "80"; }

bool is_port(std::string_view text) {
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  unsigned number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return digits && read.ec == std::errc() && number >= 1 && number <= 65535;
}

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  constexpr std::string_view kBlanks(" \t\r\n\0@", 6);
  const Error wrong(ErrorKind::kInvalid, "That is no address such as http://localhost:4318.");
  const size_t scheme_size = text.find("://");
  if (scheme_size == std::string_view::npos || text.find_first_of(kBlanks) != std::string_view::npos) return wrong;
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) return wrong;
  Url url;
  url.scheme = text.substr(0, scheme_size);
  if (url.scheme != "http" && url.scheme != "https") return wrong;
  text.remove_prefix(scheme_size + 3);
  const size_t slash = std::min(text.find('/'), text.size());
  if (slash < text.size()) url.path = text.substr(slash);
  std::string_view authority = text.substr(0, slash);
  const size_t bracket = authority.rfind(']');
  const size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  url.port = colon == std::string_view::npos ? port_of(url.scheme) : authority.substr(colon + 1);
  if (!is_port(url.port)) return wrong;
  authority = authority.substr(0, colon);
  if (authority.starts_with('[') && authority.ends_with(']')) authority = authority.substr(1, authority.size() - 2);
  if (authority.empty() || authority.find_first_of("[]?#\\") != std::string_view::npos) return wrong;
  url.host = authority;
  return url;
}

std::string Url::authority() const {
  const std::string name = host.contains(':') ? "[" + host + "]" : host;
  return port == port_of(scheme) ? name : name + ":" + port;
}

}  // namespace partita::net
