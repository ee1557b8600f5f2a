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

}  // namespace

Result<DestinationFactory> find_destination(std::string_view url) {
  std::string known;
  for (auto& [scheme, factory] : destination_kinds()) {
    if (url.starts_with(scheme) && url.substr(scheme.size()).starts_with("://")) return std::move(factory);
    known += (known.empty() ? "" : ", ") + std::string(scheme);
  }
  return Error(ErrorKind::kInvalid, "The URL of a sink begins with one of these schemes, and \"://\": " + known +
                                        ". This one does not: " + std::string(url));
}

}  // namespace partita::sinks
