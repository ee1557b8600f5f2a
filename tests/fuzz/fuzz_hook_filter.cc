// Filters of hooks. A filter that parses gives a result for every record of JSON. A pattern with two alternatives
// matches what either of them matches.
//
// Input: a line for FilterCriteria, two for patterns, and a record.
#include <string>
#include <string_view>

#include "input.h"
#include "sinks/hook_filter.h"
#include "wire/json_writer.h"

namespace partita::fuzz {
namespace {

using sinks::EventPattern;
using sinks::FilterCriteria;

std::string criteria_of(std::string_view one, std::string_view other) {
  wire::JsonWriter json;
  json.begin_object();
  json.begin_array("Filters");
  for (const std::string_view pattern : {one, other}) {
    json.begin_object();
    json.member("Pattern", pattern);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::fuzz;
  Input in(data, size);
  const auto criteria = FilterCriteria::parse(in.line());
  const std::string_view one = in.line();
  const std::string_view other = in.line();
  const std::string_view record = in.rest();
  const auto document = partita::wire::JsonDocument::parse(record);
  if (criteria.ok()) {
    const auto matches = criteria->matches(record);
    PARTITA_CHECK(matches.ok() == (document.ok() || criteria->empty()));
    PARTITA_CHECK(!criteria->empty() || *matches);
  }
  const auto first = EventPattern::parse(one);
  const auto second = EventPattern::parse(other);
  if (!first.ok() || !second.ok() || !document.ok()) return 0;
  const bool expected = first->matches(document->root()) || second->matches(document->root());
  const auto both = FilterCriteria::parse(criteria_of(one, other));
  PARTITA_CHECK(both.ok() && both->matches(record).ok() && *both->matches(record) == expected);
  // It may be too long, or too deep.
  const auto either = EventPattern::parse("{\"$or\":[" + std::string(one) + "," + std::string(other) + "]}");
  PARTITA_CHECK(!either.ok() || either->matches(document->root()) == expected);
  return 0;
}
