// The schemes that URLs of sinks may have, for those that offer them.
#pragma once

#include <string_view>
#include <vector>

#include "sinks/change_destination.h"

namespace partita::sinks {

struct SinkScheme {
  std::string_view name;  // "kinesis+https"; static
  bool changes = false;   // it takes every change; otherwise the newest state of each item
  Reach reach = Reach::kNetwork;
};
std::vector<SinkScheme> sink_schemes();

}  // namespace partita::sinks
