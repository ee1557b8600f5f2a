#include "ops/items/write_call.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

struct DeleteItem : WriteCall {
  static Result<Request> decode(const wire::Members& in) {
    return decode_replacement(in, api::WriteAction::Kind::kDelete, wire::Field::kKey);
  }
};

}  // namespace

constinit const JsonCodec delete_item = json_codec<DeleteItem>(wire::shapes::kDeleteItem);

}  // namespace partita::ops
