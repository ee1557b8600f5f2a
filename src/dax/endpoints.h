// The servers that clients are told to connect to.
#pragma once

#include <optional>
#include <string_view>

#include "dax/options.h"
#include "net/address.h"
#include "wire/cbor.h"

namespace partita::dax {

// Writes the reply to `endpoints`: the nodes of the options, each with an address of the family of `local` if it has
// one; without nodes, `local`, the address at which the client reached this server. Every node is a leader, since each
// one writes to the store itself. `zone`: of all.
void write_endpoints(wire::CborWriter& out, const Options& options, const std::optional<net::Address>& local,
                     std::string_view zone);

}  // namespace partita::dax
