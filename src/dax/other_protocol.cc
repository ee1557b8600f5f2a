#include "dax/other_protocol.h"

#include <algorithm>
#include <array>

namespace partita::dax {

OtherProtocol other_protocol(std::string_view bytes) {
  static constexpr std::array<std::string_view, 9> kMethods = {"GET ",     "POST ",  "PUT ",     "HEAD ", "DELETE ",
                                                               "OPTIONS ", "PATCH ", "CONNECT ", "PRI "};
  constexpr std::string_view kHandshake = "\x16\x03";
  if (bytes.starts_with(kHandshake)) return OtherProtocol::kTls;
  const bool is_http =
      std::ranges::any_of(kMethods, [&](std::string_view method) { return bytes.starts_with(method); });
  return is_http ? OtherProtocol::kHttp : OtherProtocol::kUnknown;
}

const std::string_view kReplyToHttp =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 82\r\n"
    "Connection: close\r\n\r\nThis port speaks the protocol of DAX: use the address of --listen for DynamoDB's.\n";
const std::string_view kReplyToPlainHttp =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 71\r\n"
    "Connection: close\r\n\r\nThis port speaks DAX over TLS: use an address that begins with daxs://\n";

}  // namespace partita::dax
