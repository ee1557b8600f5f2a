#include <algorithm>
#include <string>
#include <utility>

#include "sinks/change_destination.h"
#include "sinks/destination.h"
#include "sinks/sink_schemes.h"

namespace partita::sinks {

#define PARTITA_DESTINATION(scheme, factory) \
  Result<std::unique_ptr<Destination>> factory(const DestinationSettings& settings, std::stop_token hurry);
#include "sinks/destination_list.inc"
#undef PARTITA_DESTINATION

#define PARTITA_CHANGE_DESTINATION(scheme, factory, reach) \
  Result<std::unique_ptr<ChangeDestination>> factory(const ChangeSettings& settings, std::stop_token hurry);
#include "sinks/change_destination_list.inc"
#undef PARTITA_CHANGE_DESTINATION

namespace {

std::vector<std::pair<std::string_view, DestinationFactory>> destination_kinds() {
  return {
#define PARTITA_DESTINATION(scheme, factory) {scheme, factory},
#include "sinks/destination_list.inc"
#undef PARTITA_DESTINATION
  };
}

std::vector<std::pair<std::string_view, ChangeDestinationKind>> change_destination_kinds() {
  return {
#define PARTITA_CHANGE_DESTINATION(scheme, factory, reach) {scheme, {factory, Reach::reach}},
#include "sinks/change_destination_list.inc"
#undef PARTITA_CHANGE_DESTINATION
  };
}

bool has_scheme(std::string_view url, std::string_view scheme) {
  return url.starts_with(scheme) && url.substr(scheme.size()).starts_with("://");
}

bool is_scheme_char(char c) { return (c >= 'a' && c <= 'z') || c == '+' || c == '-' || c == '.'; }

}  // namespace

Result<DestinationFactory> find_destination(std::string_view url) {
  std::string known;
  const auto add = [&known](std::string_view scheme) { known += (known.empty() ? "" : ", ") + std::string(scheme); };
  for (auto& [scheme, factory] : destination_kinds()) {
    if (has_scheme(url, scheme)) return std::move(factory);
    add(scheme);
  }
  for (const auto& [scheme, kind] : change_destination_kinds()) add(scheme);
  // The rest of it may have a password.
  const std::string_view scheme = url.substr(0, std::min(url.find("://"), url.size()));
  const bool is_scheme = scheme.size() < url.size() && std::ranges::all_of(scheme, is_scheme_char);
  return Error(ErrorKind::kInvalid, "The URL of a sink begins with one of these schemes, and \"://\": " + known +
                                        (is_scheme ? "; this one with " + std::string(scheme) + "." : "."));
}

std::vector<SinkScheme> sink_schemes() {
  return {
#define PARTITA_DESTINATION(scheme, factory) {scheme, false, Reach::kNetwork},
#include "sinks/destination_list.inc"
#undef PARTITA_DESTINATION
#define PARTITA_CHANGE_DESTINATION(scheme, factory, reach) {scheme, true, Reach::reach},
#include "sinks/change_destination_list.inc"
#undef PARTITA_CHANGE_DESTINATION
  };
}

std::optional<ChangeDestinationKind> find_change_destination(std::string_view url) {
  for (auto& [scheme, kind] : change_destination_kinds()) {
    if (has_scheme(url, scheme)) return std::move(kind);
  }
  return std::nullopt;
}

}  // namespace partita::sinks
