#include "sinks/item_filter.h"

#include "model/item_codec.h"

namespace partita::sinks {

Result<ItemFilter> ItemFilter::parse(const std::string& expression,
                                     const std::vector<std::pair<std::string, std::string>>& names,
                                     const model::Item& values) {
  ItemFilter filter;
  if (expression.empty()) return filter;
  PARTITA_TRY(auto given, expr::Placeholders::make(names.empty() ? std::nullopt : std::optional(names),
                                                   values.empty() ? std::nullopt : std::optional(values)));
  PARTITA_TRY(filter.condition_, expr::parse_condition(expression, expr::ExpressionKind::kFilter, given));
  PARTITA_TRY_VOID(given.check_all_used());
  return filter;
}

Result<std::optional<model::Item>> ItemFilter::select(const std::optional<std::string>& stored) const {
  std::optional<model::Item> item;
  if (!stored) return item;
  PARTITA_TRY(item, model::decode_item(*stored));
  if (condition_ && !expr::evaluate(*condition_, *item)) item.reset();
  return item;
}

}  // namespace partita::sinks
