#include "ops/items/write_call.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

struct PutItem : WriteCall {
  static Result<Request> decode(const wire::Members& in) {
    return decode_replacement(in, api::WriteAction::Kind::kPut, wire::Field::kItem);
  }
};

}  // namespace

constinit const JsonCodec put_item = json_codec<PutItem>(wire::shapes::kPutItem);

}  // namespace partita::ops
