#include "table/items/expiry.h"

#include <cmath>

#include "model/number.h"
#include "table/rows/expiry_rows.h"

namespace partita::table {

namespace {

class ExpiryRowMaker final : public RowMaker {
 public:
  bool applies_to(const TableInfo& table) const override { return table.ttl.has_value(); }

  void change_item(const TableInfo& table, const storage::Key& key, const Image& before, const Image& after,
                   const Origin& /*origin*/, storage::Changes& changes) const override {
    const auto moment = [&](const Image& image) {
      return image.item == nullptr ? std::nullopt : expiry_of(*table.ttl, *image.item);
    };
    const std::optional<int64_t> was = moment(before);
    const std::optional<int64_t> is = moment(after);
    if (was == is) return;
    if (was) changes.erase(expiry_key(table, key, *was));
    if (is) put_expiry_row(table, key, *is, changes);
  }
};

constinit const ExpiryRowMaker kExpiryRows;

}  // namespace

std::optional<int64_t> expiry_of(const TimeToLive& ttl, const model::Item& item) {
  constexpr double kEndOfTime = 1e15;
  const model::AttributeValue* value = item.find(ttl.attribute);
  if (value == nullptr || !value->is(model::Type::kN)) return std::nullopt;
  const model::Number& number = value->as_number();
  if (number.is_negative() || number.to_double() > kEndOfTime) return std::nullopt;
  if (const auto whole = number.to_int64()) return whole;
  return static_cast<int64_t>(std::floor(number.to_double()));
}

const RowMaker& expiry_row_maker() { return kExpiryRows; }

}  // namespace partita::table
