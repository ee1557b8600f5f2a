// The codec of an operation in AWS's JSON: it makes an execution of a body, and a body of the execution's reply. Only
// codecs know JSON; see execution.h for what is between the two.
//
// An operation on items; control_execution.h has an outline of one on tables as such:
//
//   struct GetItem {
//     using Execution = GetItemExecution;
//     static Result<api::GetRequest> decode(const wire::Members& in);
//     static Result<std::string> encode(const Request& request, const Reply& reply);
//   };
//   constinit const JsonCodec get_item = json_codec<GetItem>(wire::shapes::kGetItem);
//
// A reply that may be large is encoded by a Task<Result<std::string>> instead, which yields between pieces.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "base/task.h"
#include "ops/control_execution.h"
#include "ops/execution.h"
#include "ops/footprint.h"
#include "wire/json_reader.h"
#include "wire/members.h"
#include "wire/shape.h"

namespace partita::ops {

struct JsonCodec {
  const wire::Shape* shape;  // of a body
  // DynamoDB's checks of a body that come before those of its shape; null: none.
  Result<void> (*check)(std::string_view body, const wire::JsonDocument& document);
  // The execution does not point into the members.
  Result<std::unique_ptr<Execution>> (*decode)(const wire::Members& in);
  // One of the two is null.
  // Precondition: the execution came from decode(), and run() succeeded. Errors: kCorrupt.
  Result<std::string> (*encode)(const Execution& done, const Context& context);
  Task<Result<std::string>> (*encode_in_pieces)(const Execution& done, const Context& context);
};

// An execution of the request that `decode` returns, constructed in place if the execution has a constructor for that.
template <class Made, class Decode>
Result<std::unique_ptr<Execution>> make_execution(Decode decode) {
  if constexpr (std::is_constructible_v<Made, Decode>) {
    auto made = std::make_unique<Made>(decode);
    if (!made->decoded().ok()) return std::move(made->decoded()).error();
    return std::unique_ptr<Execution>(std::move(made));
  } else {
    auto request = decode();
    if (!request.ok()) return std::move(request).error();
    return std::unique_ptr<Execution>(std::make_unique<Made>(std::move(request).value()));
  }
}

// `Call` has a type Execution, decode(), which returns what that is constructed from, and encode(), which Execution's
// function template encode<Call>() calls.
template <class Call>
constexpr JsonCodec json_codec(const wire::Shape& shape, decltype(JsonCodec::check) check = nullptr) {
  using Made = typename Call::Execution;
  JsonCodec codec{&shape, check,
                  [](const wire::Members& in) { return make_execution<Made>([&] { return Call::decode(in); }); },
                  nullptr, nullptr};
  using Encoded = decltype(Made::template encode<Call>(std::declval<const Made&>(), std::declval<const Context&>()));
  if constexpr (std::is_same_v<Encoded, Task<Result<std::string>>>) {
    codec.encode_in_pieces = [](const Execution& done, const Context& context) {
      return Made::template encode<Call>(static_cast<const Made&>(done), context);
    };
  } else {
    codec.encode = [](const Execution& done, const Context& context) -> Result<std::string> {
      return Made::template encode<Call>(static_cast<const Made&>(done), context);
    };
  }
  return codec;
}

// The codec of each operation, defined in the file of its name.
#define PARTITA_OPERATION(name, kind, action, codec, api) extern const JsonCodec codec;
#include "ops/operation_list.inc"
#undef PARTITA_OPERATION

// The execution of a body; the document is released. wire::check_shape(), which finds DynamoDB's first fault, runs only
// if the pass over the members does not prove that the body fits. Faults: those of the shape and of the codec.
Result<std::unique_ptr<Execution>> decode(const Context& context, wire::JsonDocument document);

// Adds the tables and streams that a body names, for a body that cannot be decoded.
void note_names(wire::JsonValue body, RequestFootprint& footprint);

}  // namespace partita::ops
