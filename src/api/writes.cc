#include "api/writes.h"

#include <cmath>

#include "model/fault.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "model/size.h"

namespace partita::api {

Result<void> check_item_size(size_t bytes) {
  if (bytes > model::kMaxItemBytes) return model::refuse(model::Fault::kItemTooLarge);
  return {};
}

size_t named_bytes(const WriteAction& action) {
  return action.kind == WriteAction::Kind::kPut ? *model::encoded_item_size(action.item) : model::item_size(action.key);
}

Result<void> check_total_size(const TransactWriteRequest& request) {
  size_t bytes = 0;
  for (const auto& part : request.parts) bytes += named_bytes(part.action);
  if (bytes <= model::kMaxTransactionBytes) return {};
  return model::refuse(model::Fault::kTransactionTooLarge, {std::to_string(bytes)});
}

SizeRange size_range(const ItemCollection& collection) {
  constexpr double kGigabyte = 1024.0 * 1024 * 1024;
  const double lower = std::floor(static_cast<double>(collection.bytes) / kGigabyte);
  return {lower, lower + 1};
}

const model::Item* returned_item(ReturnValues wanted, const expr::Update& update, const Written& written,
                                 model::Item& touched) {
  const bool old = wanted == ReturnValues::kAllOld || wanted == ReturnValues::kUpdatedOld;
  const auto& source = old ? written.before : written.after;
  if (wanted == ReturnValues::kNone || !source) return nullptr;
  if (wanted == ReturnValues::kAllOld || wanted == ReturnValues::kAllNew) return &*source;
  touched = expr::touched(update, *source);
  return touched.empty() ? nullptr : &touched;
}

}  // namespace partita::api
