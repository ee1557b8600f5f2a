#include "ops/json_codec.h"

#include "wire/checks.h"

namespace partita::ops {

Result<std::unique_ptr<Execution>> decode(const Context& context, wire::JsonDocument document) {
  const JsonCodec& json = context.operation.json;
  if (json.check != nullptr) PARTITA_TRY_VOID(json.check(context.body, document));
  wire::Members in;
  if (!in.fits(document.root(), *json.shape)) {
    PARTITA_TRY_VOID(wire::check_shape(document.root(), *json.shape));
  }
  auto made = json.decode(in);
  if (!made.ok()) return wire::worded(std::move(made).error(), document.root(), *json.shape);
  return made;
}

}  // namespace partita::ops
