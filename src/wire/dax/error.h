// Errors as DAX replies: a sequence of numbers from the general to the particular, the message, then the request's id,
// the exception's name and the HTTP status. A cancelled transaction also has its reasons.
//
// The texts are those of wire/error_body.h. Errors that are not the caller's reveal nothing internal.
#pragma once

#include <string_view>

#include "api/writes.h"
#include "base/error.h"
#include "wire/cbor.h"
#include "wire/dax/reply.h"

namespace partita::wire::dax {

// Reasons are written without items. `request_id` may be empty.
void encode_error(CborWriter& out, const Error& error, std::string_view request_id);

// Reasons have the items that failed a condition, if the action asked for them. If Encoding::missing is not empty
// afterwards, the reply is of no use: see wire/dax/reply.h.
void encode_error(CborWriter& out, const Error& error, std::string_view request_id,
                  const api::TransactWriteRequest& request, Encoding& encoding);

// A write was done, but its reply could not be made. Clients do not repeat it.
void encode_lost_reply(CborWriter& out, std::string_view request_id);

// The connection has no valid authorisation. Clients sign again and retry.
void encode_authorisation_lapsed(CborWriter& out, std::string_view request_id);

}  // namespace partita::wire::dax
