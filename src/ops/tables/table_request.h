// Decoders of the parameters of CreateTable and UpdateTable. Pure functions.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "table/control/tables.h"
#include "wire/members.h"

namespace partita::ops {

// `in`: the members of the structure that has the parameter. The parameter may be absent.
std::vector<model::KeyElement> decode_definitions(const wire::Members& in);
std::vector<api::KeyPart> decode_keys(const wire::Members& in);
std::optional<api::BillingMode> decode_billing(const wire::Members& in);
std::optional<api::Units> decode_throughput(const wire::Members& in);
api::OnDemandLimits decode_on_demand(const wire::Members& in);
std::optional<api::WarmRequest> decode_warm(const wire::Members& in);
std::optional<api::EncryptionRequest> decode_encryption(const wire::Members& in);
std::optional<api::StreamRequest> decode_stream(const wire::Members& in);
std::vector<api::Tag> decode_tags(const wire::Members& in);
std::optional<std::string> decode_text(const wire::Members& in, wire::Field field);
// TableClass. Fault: kTableClassUnknown.
Result<std::optional<std::string>> decode_table_class(const wire::Members& in);

// The parameters that both operations have, without those that only one of them requires or has.
template <class Request>
Request decode_table(const wire::Members& in) {
  Request request;
  request.name = in.text(wire::Field::kTableName);
  request.definitions = decode_definitions(in);
  request.billing_mode = decode_billing(in);
  request.throughput = decode_throughput(in);
  request.on_demand = decode_on_demand(in);
  request.warm = decode_warm(in).value_or(api::WarmRequest{});
  request.encryption = decode_encryption(in);
  request.stream = decode_stream(in);
  return request;
}

// `index`: the members of the description of one index.
api::IndexRequest decode_index(const wire::Members& index, bool global);
api::IndexRequest decode_vector_index(const wire::Members& index);

// Refuses a request that has one of these parameters, which Partita does not serve; the message names it. Fault:
// kNotHereYet.
Result<void> refuse_named(const wire::Members& in, std::initializer_list<wire::Field> fields);

}  // namespace partita::ops
