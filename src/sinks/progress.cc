#include "sinks/progress.h"

#include <algorithm>
#include <utility>

#include "model/item_codec.h"
#include "table/rows/item_fields.h"

namespace partita::sinks {

namespace {

using model::AttributeValue;

AttributeValue number_value(uint64_t value) {
  return AttributeValue::number(model::Number::of(static_cast<int64_t>(value)));
}

Error damaged_progress() { return Error(ErrorKind::kCorrupt, "the progress of a sink is damaged"); }

}  // namespace

std::string encode(const Progress& progress) {
  model::Item item;
  item.set("conflicts", number_value(progress.conflicts));
  std::string positions;
  for (const storage::Position& one : progress.delivered) positions.append(one.bytes.begin(), one.bytes.end());
  item.set("delivered", AttributeValue::binary(std::move(positions)));
  item.set("filling", AttributeValue::boolean(progress.filling));
  item.set("generation", number_value(progress.generation));
  item.set("rejected", number_value(progress.rejected));
  item.set("retries", number_value(progress.retries));
  item.set("sent", number_value(progress.sent));
  item.set("sink", AttributeValue::string(progress.sink));
  item.set("trouble", AttributeValue::string(progress.trouble));
  return model::encode_item(item);
}

Result<Progress> progress_from(std::string_view text) {
  Progress progress;
  if (text.empty()) return progress;
  PARTITA_TRY(const model::Item item, model::decode_item(text));
  table::ItemFields in(item);
  in.take("conflicts", progress.conflicts);
  if (const auto* positions = in.find("delivered", model::Type::kB)) {
    std::string_view bytes = positions->as_bytes();
    in.require(bytes.size() == sizeof progress.delivered);
    if (!in.sound()) return damaged_progress();
    for (storage::Position& one : progress.delivered) {
      std::copy_n(bytes.begin(), one.bytes.size(), one.bytes.begin());
      bytes.remove_prefix(one.bytes.size());
    }
  }
  in.take("filling", progress.filling);
  in.take("generation", progress.generation);
  in.take("rejected", progress.rejected);
  in.take("retries", progress.retries);
  in.take("sent", progress.sent);
  in.take("sink", progress.sink);
  in.take("trouble", progress.trouble);
  if (!in.sound()) return damaged_progress();
  return progress;
}

}  // namespace partita::sinks
