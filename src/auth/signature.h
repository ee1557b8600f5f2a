// The signature of Signature Version 4: what is signed, and with what.
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
  // The value of that lower-case name that stands at that place among those of the name, from 0; nothing when there are
  // fewer.
  std::function<std::optional<std::string_view>(std::string_view name, size_t place)> values;
  std::string_view body;

  // The first value; empty when absent.
  std::string_view header(std::string_view name) const { return values(name, 0).value_or(std::string_view()); }
};

inline constexpr std::string_view kDynamoDbName = "dynamodb";

// Where a signature holds: the day (YYYYMMDD), the region, the service, and the last word.
std::string scope_of(std::string_view day, std::string_view region, std::string_view service = kDynamoDbName);

// The key for all signatures of that scope.
HmacKey signing_key(std::string_view secret, std::string_view day, std::string_view region,
                    std::string_view service = kDynamoDbName);

// What a request says of its own signature, but for who signed it.
struct Signed {
  std::string_view headers;  // their names, with semicolons between them
  std::string_view date;     // "20260102T030405Z"
  std::string_view scope;
  bool presigned = false;  // the signature is in the query
};

// Whether that lower-case name is among those with semicolons between them.
bool names_header(std::string_view names, std::string_view name);

// Both keep their memory from one request to the next.
struct SignedTexts {
  std::string canonical;  // the request, in the one form that both sides know
  std::string to_sign;    // what the key signs
};

void write_texts(const Facts& facts, const Signed& what, SignedTexts& texts);

}  // namespace partita::auth
