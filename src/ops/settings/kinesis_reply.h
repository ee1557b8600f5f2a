// What the replies about Kinesis streaming share.
#pragma once

#include <string>
#include <string_view>

#include "api/settings.h"
#include "wire/members.h"

namespace partita::ops {

// The precision in the configuration of that name; empty: there is none.
std::string kinesis_precision(const wire::Members& in, wire::Field configuration);
std::string_view kinesis_status_name(api::KinesisStatus status);
// The whole reply. `configuration`: the name of the member that has what was asked for; empty: none.
std::string write_kinesis_changed(const api::KinesisChanged& changed, std::string_view configuration);

}  // namespace partita::ops
