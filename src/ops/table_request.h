// What CreateTable and UpdateTable share, decoded.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "table/tables.h"
#include "wire/json_reader.h"

namespace partita::ops {

// Each takes the member of the request, which may be absent.
std::vector<model::KeyElement> decode_definitions(wire::JsonValue list);
std::vector<table::KeyPart> decode_keys(wire::JsonValue list);
std::optional<table::BillingMode> decode_billing(wire::JsonValue word);
std::optional<table::ThroughputRequest> decode_throughput(wire::JsonValue structure);
table::OnDemandLimits decode_on_demand(wire::JsonValue structure);
std::optional<table::WarmThroughput> decode_warm(wire::JsonValue structure);
std::optional<table::Encryption> decode_encryption(wire::JsonValue structure);
table::IndexRequest decode_index(wire::JsonValue structure, bool global);

}  // namespace partita::ops
