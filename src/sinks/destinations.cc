#include <algorithm>
#include <string>
#include <utility>

#include "sinks/destination.h"

namespace partita::sinks {

#define PARTITA_DESTINATION(scheme, factory) \
  Result<std::unique_ptr<Destination>> factory(const DestinationSettings& settings, std::stop_token hurry);
#include "sinks/destination_list.inc"
#undef PARTITA_DESTINATION

namespace {

std::vector<std::pair<std::string_view, DestinationFactory>> destination_kinds() {
  return {
#define PARTITA_DESTINATION(scheme, factory) {scheme, factory},
#include "sinks/destination_list.inc"
#undef PARTITA_DESTINATION
  };
}

bool is_scheme_char(char c) { return (c >= 'a' && c <= 'z') || c == '+' || c == '-' || c == '.'; }

}  // namespace

Result<DestinationFactory> find_destination(std::string_view url) {
  std::string known;
  for (auto& [scheme, factory] : destination_kinds()) {
    if (url.starts_with(scheme) && url.substr(scheme.size()).starts_with("://")) return std::move(factory);
    known += (known.empty() ? "" : ", ") + std::string(scheme);
  }
  // The rest of it may have a password.
  const std::string_view scheme = url.substr(0, std::min(url.find("://"), url.size()));
  const bool is_scheme = scheme.size() < url.size() && std::ranges::all_of(scheme, is_scheme_char);
  return Error(ErrorKind::kInvalid, "The URL of a sink begins with one of these schemes, and \"://\": " + known +
                                        (is_scheme ? "; this one with " + std::string(scheme) + "." : "."));
}

}  // namespace partita::sinks
