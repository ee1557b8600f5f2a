#include "http/host.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "auth/text_util.h"

namespace partita::http {

namespace {

// Special-use names of RFC 6761, 6762 and 8375, ICANN's "internal", and "svc", as Kubernetes ends its shorter names.
constexpr std::array<std::string_view, 8> kUnregistered = {"localhost", "local", "internal", "svc",
                                                           "home.arpa", "test",  "lan",      "invalid"};

bool same(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, auth::lower, auth::lower); }

bool is_below(std::string_view name, std::string_view top) {
  if (name.size() <= top.size() || !same(name.substr(name.size() - top.size()), top)) return false;
  return name[name.size() - top.size() - 1] == '.';
}

// "name", "name:8000" or "[::1]:8000".
struct Authority {
  std::string_view name;
  std::string_view port;  // the digits, empty: none
};

std::optional<Authority> authority_in(std::string_view text) {
  const size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string_view::npos) return std::nullopt;
  const size_t colon = std::min(text.find(':', bracket), text.size());
  const Authority found{text.substr(0, colon), text.substr(std::min(colon + 1, text.size()))};
  constexpr size_t kMostDigits = 5;
  const bool digits = std::ranges::all_of(found.port, [](char c) { return c >= '0' && c <= '9'; });
  if (found.name.empty() || !digits || found.port.size() > kMostDigits) return std::nullopt;
  if (colon < text.size() && found.port.empty()) return std::nullopt;
  return found;
}

// Addresses as browsers write them: the four numbers of IPv4, and IPv6 in brackets, without a zone.
bool is_address(std::string_view name) {
  const bool bracketed = name.starts_with('[') && name.ends_with(']');
  const std::string digits(bracketed ? name.substr(1, name.size() - 2) : name);
  in6_addr room{};
  return inet_pton(bracketed ? AF_INET6 : AF_INET, digits.c_str(), &room) == 1;
}

bool is_host_name(std::string_view name) {
  constexpr size_t kMostSize = 253;
  return name.size() <= kMostSize && std::ranges::all_of(name, [](char c) {
           const char low = auth::lower(c);
           return (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9') || low == '-' || low == '.' || low == '_';
         });
}

}  // namespace

bool is_local_host(std::string_view host) {
  if (host.starts_with('[')) return true;  // IPv6
  std::string_view name = host.substr(0, host.find(':'));
  while (name.ends_with('.')) name.remove_suffix(1);
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return true;
  // Browsers take what ends in a number for an address of IPv4, and nothing else.
  const std::string_view last = name.substr(dot + 1);
  if (std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; })) return true;
  return std::ranges::any_of(kUnregistered, [&](std::string_view top) { return is_below(name, top); });
}

bool is_own_page(const Sender& sender) {
  if (!sender.site.empty() && sender.site != "same-origin") return false;
  // Browsers send the whole URL to proxies only.
  if (!sender.target.starts_with('/')) return false;
  const size_t end_of_scheme = sender.origin.find("://");
  if (end_of_scheme == std::string_view::npos) return false;
  const std::string_view scheme = sender.origin.substr(0, end_of_scheme);
  const bool expected = scheme == (sender.encrypted ? "https" : "http");
  if (!expected && (scheme != "https" || !sender.verified)) return false;
  const auto origin = authority_in(sender.origin.substr(end_of_scheme + 3));
  auto host = authority_in(sender.host);
  if (!origin || !host) return false;
  if (host->port == (scheme == "https" ? "443" : "80")) host->port = {};  // which an origin leaves out
  if (!same(origin->name, host->name) || origin->port != host->port) return false;
  const bool fixed = same(host->name, "localhost") || is_address(host->name);
  return fixed || (sender.verified && is_host_name(host->name));
}

}  // namespace partita::http
