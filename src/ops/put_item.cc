#include "ops/handlers.h"
#include "ops/write_call.h"

namespace partita::ops {

Task<Result<std::string>> put_item(const Context& context, wire::JsonValue body) {
  return replace_item(context, body, table::WriteAction::Kind::kPut, "Item");
}

}  // namespace partita::ops
