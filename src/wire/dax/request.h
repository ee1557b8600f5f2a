// Requests of DAX on items: the arguments of a method to the structs of api/, which are the same as of AWS's JSON, so
// that nothing behind a decoder knows the protocol.
//
//   CborReader arguments(request.substr(scanner.arguments_at()));
//   Decoding decoding{tables, lists, {}};
//   PARTITA_TRY(api::GetRequest get, decode_get(arguments, decoding));
//   if (!decoding.missing.empty()) { ... load the lists, and decode again ... }
//
// A decoder makes all checks that need no more of a table than its key schema, with the faults and the texts that the
// same request has in JSON. If `missing` is not empty afterwards, the result is of no use. A table that has no schema
// leaves its keys empty; what comes next finds that there is no such table.
//
// Faults beside those of JSON: kOverloaded if there is no memory for what is decoded; kDaxMalformed; kDaxUnsupported
// for a parameter that is not known or that the operation does not have, which it names; kKeySchemaMismatch for bytes
// that are no key of the table.
#pragma once

#include <string_view>

#include "api/reads.h"
#include "api/writes.h"
#include "base/result.h"
#include "model/key.h"
#include "wire/cbor.h"
#include "wire/dax/decoded_bytes.h"
#include "wire/dax/lists.h"

namespace partita::wire::dax {

// What the coders ask about tables.
class TableSchemas {
 public:
  virtual ~TableSchemas() = default;
  // The key schema of the table of that name or ARN. Null: there is none, or it is not known yet. Valid until the call
  // is done.
  virtual const model::KeySchema* find(std::string_view table) = 0;
};

// Of one call.
struct Decoding {
  TableSchemas& tables;
  KnownLists& lists;
  MissingLists missing;
  // The client sends the Select of ALL_ATTRIBUTES also where its user named none, as Go's second one does: it says
  // nothing then.
  bool always_selects = false;
  DecodedBytes memory = DecodedBytes();
};

Result<api::GetRequest> decode_get(CborReader& in, Decoding& decoding);
Result<api::WriteRequest> decode_put(CborReader& in, Decoding& decoding);
Result<api::WriteRequest> decode_update(CborReader& in, Decoding& decoding);
Result<api::WriteRequest> decode_delete(CborReader& in, Decoding& decoding);
Result<api::RangeRequest> decode_query(CborReader& in, Decoding& decoding);
Result<api::RangeRequest> decode_scan(CborReader& in, Decoding& decoding);
Result<api::BatchGetRequest> decode_batch_get(CborReader& in, Decoding& decoding);
Result<api::BatchWriteRequest> decode_batch_write(CborReader& in, Decoding& decoding);
Result<api::TransactGetRequest> decode_transact_get(CborReader& in, Decoding& decoding);
Result<api::TransactWriteRequest> decode_transact_write(CborReader& in, Decoding& decoding);

}  // namespace partita::wire::dax
