#include "admin/heat_json.h"

#include <cstdint>
#include <utility>

namespace partita::admin {

namespace {

void write_range(wire::JsonWriter& json, const throttle::HeatRange& range, const model::KeySchema& keys) {
  json.begin_object();
  // Shares of all hashes. A range inside an item collection has no width: "FirstKey" says where it begins.
  json.member("From", throttle::place_of(range.low, 0));
  json.member("To", throttle::place_of(range.high, 1));
  if (range.low.size() > sizeof(uint64_t)) {
    json.key("FirstKey");
    json.write_item(key_of(keys, range.low));
  }
  json.member("ReadUnitsPerSecond", range.rates.read_units);
  json.member("WriteUnitsPerSecond", range.rates.write_units);
  json.member("Load", range.load);
  json.member("ThrottledPerSecond", range.rates.refusals);
  json.member("Throttled", range.refused);
  if (!range.hottest.empty()) {
    json.begin_object("HottestKey");
    json.key("Key");
    json.write_item(key_of(keys, range.hottest));
    json.member("Share", range.hottest_share);
    json.end_object();
  }
  if (range.obstacle != throttle::Obstacle::kNone) {
    json.begin_object("NotSplit");
    json.member("Reason", throttle::name_of(range.obstacle));
    json.member("Text", throttle::text_of(range.obstacle));
    json.end_object();
  }
  json.end_object();
}

}  // namespace

model::Item key_of(const model::KeySchema& keys, std::string_view position) {
  model::Item item;
  if (position.size() <= sizeof(uint64_t)) return item;
  position.remove_prefix(sizeof(uint64_t));
  for (const auto* elements : {&keys.partition, &keys.sort}) {
    for (const model::KeyElement& element : *elements) {
      auto value = model::take_key_value(element.type, position);
      if (!value) return item;
      item.set(element.name, *std::move(value));
    }
  }
  return item;
}

std::string heat_text(const throttle::HeatReport& report, std::string_view name, const model::KeySchema& keys) {
  const auto key_text = [&](std::string_view position) {
    wire::JsonWriter json;
    json.write_item(key_of(keys, position));
    return std::move(json).take();
  };
  return describe(report, name, key_text);
}

void write_heat(wire::JsonWriter& json, const throttle::HeatReport& report, const model::KeySchema& keys) {
  json.begin_array("Partitions");
  for (const throttle::HeatRange& range : report.ranges) write_range(json, range, keys);
  json.end_array();
}

}  // namespace partita::admin
