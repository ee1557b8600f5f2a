// Signatures of requests that Partita itself makes to AWS's services, and to others that take them: Version 4.
//
//   PARTITA_TRY(const auth::AccessKey key, auth::read_signing_key(file));
//   const auth::RequestToSign what{.method = "PUT", .target = url.path, .host = authority, .headers = headers,
//                                  .body = body, .region = "us-east-1", .service = "s3"};
//   for (auto& header : auth::sign_request(what, key, system_clock().now_ms())) headers.push_back(std::move(header));
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/keys.h"
#include "base/result.h"

namespace partita::auth {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

struct RequestToSign {
  std::string_view method = "POST";
  std::string_view target = "/";        // path and query, percent-encoded as they will be sent
  std::string_view host = {};           // as in the Host header, which the caller sends
  const HeaderList* headers = nullptr;  // others that will be sent, no name twice; null: none
  std::string_view body = {};
  std::string_view region = {};
  std::string_view service = {};  // as in the credential scope: "kinesis", "s3"
};

// The headers to send besides: X-Amz-Date, Authorization, for a temporary key X-Amz-Security-Token, and for S3
// X-Amz-Content-Sha256. All headers given are signed.
HeaderList sign_request(const RequestToSign& request, const AccessKey& key, int64_t now_ms);

// The key of a file in the format of ~/.aws/credentials: that of the profile "default", or of the only profile. Blocks.
// Error: kUnavailable, with one sentence that names the file: it cannot be read, others than its owner can read it, or
// it has no such key.
Result<AccessKey> read_signing_key(const std::string& file);

}  // namespace partita::auth
