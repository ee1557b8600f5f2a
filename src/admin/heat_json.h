// The answer to a question for a table's heat, as JSON and with keys that people can read.
#pragma once

#include <string>
#include <string_view>

#include "model/key.h"
#include "model/value.h"
#include "throttle/heat_report.h"
#include "wire/json_writer.h"

namespace partita::admin {

// The attributes of a position (throttle/partition_map.h) in a table or index with these keys. Of a boundary or of the
// beginning of a long key, those attributes that are complete.
model::Item key_of(const model::KeySchema& keys, std::string_view position);

// Lines for people: see throttle::describe(). `name`: of the table or index.
std::string heat_text(const throttle::HeatReport& report, std::string_view name, const model::KeySchema& keys);

// The member "Partitions": a list in the order of the ranges.
void write_heat(wire::JsonWriter& json, const throttle::HeatReport& report, const model::KeySchema& keys);

}  // namespace partita::admin
