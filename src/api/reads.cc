#include "api/reads.h"

#include "model/fault.h"
#include "model/item_walk.h"

namespace partita::api {

using model::Fault;
using model::refuse;

namespace {

bool has_attributes(std::string_view stored) {
  model::ItemReader in = model::ItemReader::open(stored);
  in.varint();
  return in.count() != 0 || !in.ok();  // the encoder of the reply reports damage
}

}  // namespace

Result<void> check_select(Select select, std::string_view word, std::string_view projected_by, bool indexed) {
  const bool projected = !projected_by.empty();
  if (projected && select != Select::kDefault && select != Select::kSpecific) {
    const std::string what(select == Select::kCount ? "only the Count" : word);
    return refuse(Fault::kSelectWithProjection, {std::string(projected_by), what});
  }
  if (select == Select::kAllProjected && !indexed) return refuse(Fault::kSelectProjectedWithoutIndex);
  if (select == Select::kSpecific && !projected) return refuse(Fault::kSelectSpecificWithoutProjection);
  return {};
}

Result<Segment> make_segment(std::optional<int64_t> index, std::optional<int64_t> total) {
  if (index && !total) return refuse(Fault::kSegmentWithoutTotal);
  if (total && !index) return refuse(Fault::kTotalWithoutSegment);
  Segment segment;
  if (!index) return segment;
  if (*index >= *total) return refuse(Fault::kSegmentTooLarge, {std::to_string(*index), std::to_string(*total)});
  segment.index = static_cast<uint32_t>(*index);
  segment.total = static_cast<uint32_t>(*total);
  return segment;
}

bool is_shown(const ReadItem& read) {
  if (!read.item) return false;
  if (const auto* item = std::get_if<model::Item>(&*read.item)) return !item->empty();
  if (const auto* stored = std::get_if<std::string>(&*read.item)) return has_attributes(*stored);
  return has_attributes(std::get<std::string_view>(*read.item));
}

}  // namespace partita::api
