// Clients that speak another protocol at the port of DAX.
#pragma once

#include <cstdint>
#include <string_view>

namespace partita::dax {

enum class OtherProtocol : uint8_t { kHttp, kTls, kUnknown };

// By the first bytes of a connection, which are no preamble of DAX.
OtherProtocol other_protocol(std::string_view bytes);

// What a client of HTTP is answered, at the port that speaks DAX, or that speaks it over TLS.
extern const std::string_view kReplyToHttp;
extern const std::string_view kReplyToPlainHttp;

}  // namespace partita::dax
