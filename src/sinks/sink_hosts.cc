#include "sinks/sink_hosts.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace partita::sinks {

namespace {

struct HostPort {
  std::string host;  // in lower case
  std::string port;  // empty: none is given
};

bool is_host_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}
bool is_address_char(char c) { return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == '.' || c == ':'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_port_number(std::string_view digits) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && number >= 1 && number <= 65'535;
}

std::optional<HostPort> host_port_in(std::string_view text) {
  HostPort found;
  found.host = text;
  for (char& c : found.host) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool is_address = text.starts_with('[');
  const size_t end = is_address ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(end + (is_address ? 1 : 0));
  found.host = found.host.substr(is_address ? 1 : 0, end - (is_address ? 1 : 0));
  if (found.host.empty() || !std::ranges::all_of(found.host, is_address ? is_address_char : is_host_char)) {
    return std::nullopt;
  }
  if (rest.empty()) return found;
  if (rest.front() != ':' || rest.size() == 1) return std::nullopt;
  rest.remove_prefix(1);
  if (!std::ranges::all_of(rest, is_digit) || !is_port_number(rest)) return std::nullopt;
  found.port = rest;
  return found;
}

bool is_allowed(const HostPort& one, std::span<const std::string> allowed) {
  return std::ranges::any_of(allowed, [&one](const std::string& text) {
    const auto other = host_port_in(text);
    return other && other->host == one.host && (other->port.empty() || other->port == one.port);
  });
}

}  // namespace

bool is_sink_host(std::string_view text) { return host_port_in(text).has_value(); }

Result<void> check_sink_hosts(std::string_view url, std::span<const std::string> allowed, std::string_view name) {
  constexpr std::string_view kAfterScheme = "://";
  const size_t scheme = std::min(url.find(kAfterScheme), url.size());
  const bool has_bucket = url.starts_with("s3://");  // in the place of a host
  url.remove_prefix(std::min(scheme + kAfterScheme.size(), url.size()));
  std::string_view authority = has_bucket ? std::string_view() : url.substr(0, url.find_first_of("/?#"));
  while (true) {
    const size_t comma = std::min(authority.find(','), authority.size());
    const auto one = host_port_in(authority.substr(0, comma));
    if (!one || !is_allowed(*one, allowed)) break;
    if (comma == authority.size()) return {};
    authority.remove_prefix(comma + 1);
  }
  // The host is not quoted: it may be a part of a password.
  const std::string why = allowed.empty()
                              ? "This server was started without --sink-hosts"
                              : "The host of " + std::string(name) + " is none of those that --sink-hosts names";
  return Error(ErrorKind::kInvalid, why +
                                        ", so such a sink is created over the administration socket alone: use "
                                        "`partita sink create` on the server's machine.");
}

}  // namespace partita::sinks
