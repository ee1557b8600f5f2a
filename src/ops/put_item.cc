#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "ops/write_call.h"

namespace partita::ops {

namespace {

struct PutItem : WriteCall {
  static Result<Request> decode(const wire::Members& in) {
    return decode_replacement(in, table::WriteAction::Kind::kPut, wire::Field::kItem);
  }
};

}  // namespace

Task<Result<std::string>> put_item(const Context& context, wire::JsonDocument document) {
  return serve<PutItem>(context, std::move(document));
}

}  // namespace partita::ops
