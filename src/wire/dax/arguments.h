// What the decoders of requests share. Internal to wire/dax. See request.h for the faults.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/options.h"
#include "api/writes.h"
#include "base/result.h"
#include "expr/projection.h"
#include "wire/cbor.h"
#include "wire/dax/request.h"
#include "wire/json_writer.h"
#include "wire/shape.h"

namespace partita::wire::dax {

Error malformed_request(std::string what);
inline Error missing_arguments() { return malformed_request("its arguments are not those of the operation"); }

// The error in the words that the same request's has in JSON, unless it depends on the table or on DAX's form.
Error worded_error(Error error, const Shape& shape);
// The request that `fill` makes in place.
template <class Request>
Result<Request> decode_as(const Shape& shape, Result<void> (*fill)(CborReader&, Decoding&, Request&), CborReader& in,
                          Decoding& decoding) {
  Result<Request> decoded = Request();
  auto filled = fill(in, decoding, *decoded);
  if (!filled.ok()) decoded = worded_error(std::move(filled).error(), shape);
  return decoded;  // the only one, so that it is not moved
}

// Keys of the map that is an operation's last argument.
enum class Keyword : uint8_t {
  kProjection,
  kNames,  // of placeholders, which clients have put into the expressions
  kConsistentRead,
  kCapacity,
  kCondition,
  kValues,  // as kNames
  kCollectionMetrics,
  kReturnValues,
  kUpdate,
  kStartKey,
  kFilter,
  kIndexName,
  kKeyCondition,
  kLimit,
  kForward,
  kSelect,
  kSegment,
  kTotalSegments,
  kRequestItems,
  kToken,
  kCount,
};

constexpr uint32_t mask_of(Keyword keyword) { return uint32_t{1} << static_cast<uint32_t>(keyword); }
template <class... More>
constexpr uint32_t keywords(Keyword first, More... more) {
  return (mask_of(first) | ... | mask_of(more));
}

// The map. Of two values of a key the last one counts; null is as good as absent. Views of the request.
class Keywords {
 public:
  // Takes the map, or null in its place, which has to be the end of the request. `allowed`: what the operation has.
  Result<void> read(CborReader& in, uint32_t allowed);

  bool has(Keyword keyword) const { return (present_ & mask_of(keyword)) != 0; }
  // Nullopt: absent. Fault: kDaxMalformed for another type.
  Result<std::optional<int64_t>> integer(Keyword keyword) const;
  Result<bool> flag(Keyword keyword, bool otherwise) const;
  Result<std::optional<std::string_view>> bytes(Keyword keyword) const;
  // A text, or bytes that are one.
  Result<std::optional<std::string_view>> text(Keyword keyword) const;

  Result<api::CapacityDetail> capacity() const;
  Result<api::ReturnValues> returned() const;
  Result<bool> wants_collection_bytes() const;
  Result<api::Select> select() const;
  Result<std::optional<expr::Projection>> projection(DecodedBytes& memory) const;

 private:
  // A number among `values`, by its position; the first one if it is absent.
  template <class Value, size_t kValues>
  Result<Value> one_of(Keyword keyword, const std::array<Value, kValues>& values, int64_t first) const;

  uint32_t present_ = 0;
  std::array<std::string_view, static_cast<size_t>(Keyword::kCount)> values_;
};

// A table's name: bytes or a text.
Result<std::string_view> take_table(CborReader& in);
// Bytes; nullopt for null.
Result<std::optional<std::string_view>> take_optional_bytes(CborReader& in);
Result<bool> take_flag(CborReader& in);

// Whether check_parameters() finds nothing in an item operation's name of a table.
bool is_item_table(std::string_view table);
// The faults of parameters against `shape`, as of a JSON body with those members. For what may be wrong only.
Result<void> check_parameters(JsonWriter& body, const Shape& shape);
Result<void> check_item_table(std::string_view table, const Shape& shape);

// Empty if the table has no schema.
Result<model::Item> take_key(std::string_view bytes, const model::KeySchema* schema);
// Sets the item of a kPut: the key and the values of an attribute list. Nothing if the list is missing.
Result<void> take_item(std::string_view key, std::string_view values, const model::KeySchema* schema,
                       Decoding& decoding, api::WriteAction& action);

}  // namespace partita::wire::dax
