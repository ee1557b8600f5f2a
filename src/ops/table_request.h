// What CreateTable and UpdateTable share, decoded.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/tables.h"
#include "wire/json_reader.h"

namespace partita::ops {

// Each takes the member of the request, which may be absent.
std::vector<model::KeyElement> decode_definitions(wire::JsonValue list);
std::vector<table::KeyPart> decode_keys(wire::JsonValue list);
std::optional<table::BillingMode> decode_billing(wire::JsonValue word);
std::optional<table::Units> decode_throughput(wire::JsonValue structure);
table::OnDemandLimits decode_on_demand(wire::JsonValue structure);
std::optional<table::WarmRequest> decode_warm(wire::JsonValue structure);
std::optional<table::EncryptionRequest> decode_encryption(wire::JsonValue structure);
std::optional<table::StreamRequest> decode_stream(wire::JsonValue structure);
table::IndexRequest decode_index(wire::JsonValue structure, bool global);

// Nothing that is accepted is forgotten: what is not done here is refused by its name. Fault: kNotHereYet.
Result<void> refuse_named(wire::JsonValue body, std::initializer_list<std::string_view> members);

}  // namespace partita::ops
