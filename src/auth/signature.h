// Signature Version 4: the texts that are signed, and the signing key.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "auth/sha256.h"

namespace partita::auth {

// The parts of an HTTP request that a signature covers.
struct Facts {
  std::string_view method;
  std::string_view target;  // path and query, as sent
  // The value at `place` (from 0) among the headers of that lower-case name; nullopt if there are fewer.
  std::function<std::optional<std::string_view>(std::string_view name, size_t place)> values;
  std::string_view body;

  // The first value; empty when absent.
  std::string_view header(std::string_view name) const { return values(name, 0).value_or(std::string_view()); }
};

inline constexpr std::string_view kDynamoDbName = "dynamodb";

// The credential scope: the day (YYYYMMDD), the region, the service, and "aws4_request".
std::string scope_of(std::string_view day, std::string_view region, std::string_view service = kDynamoDbName);

// The key for all signatures of that scope.
HmacKey signing_key(std::string_view secret, std::string_view day, std::string_view region,
                    std::string_view service = kDynamoDbName);

// What a request says about its signature, except who signed it.
struct Signed {
  std::string_view headers;  // names, separated by semicolons
  std::string_view date;     // "20260102T030405Z"
  std::string_view scope;
  bool presigned = false;  // the signature is in the query
};

// Whether the semicolon-separated `names` contain that lower-case name.
bool names_header(std::string_view names, std::string_view name);

// Buffers that are reused for the next request.
struct SignedTexts {
  std::string canonical;  // the canonical request
  std::string to_sign;    // the string to sign
};

void write_texts(const Facts& facts, const Signed& what, SignedTexts& texts);

}  // namespace partita::auth
