#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "ops/write_call.h"

namespace partita::ops {

namespace {

struct DeleteItem : WriteCall {
  static Result<Request> decode(const wire::Members& in) {
    return decode_replacement(in, table::WriteAction::Kind::kDelete, wire::Field::kKey);
  }
};

}  // namespace

Task<Result<std::string>> delete_item(const Context& context, wire::JsonDocument document) {
  return serve<DeleteItem>(context, std::move(document));
}

}  // namespace partita::ops
