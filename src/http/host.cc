#include "http/host.h"

#include <algorithm>
#include <array>

#include "auth/words.h"

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

}  // namespace partita::http
