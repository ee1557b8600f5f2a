#include "metrics/notice.h"

#include <iterator>
#include <optional>
#include <utility>

#include "model/item_codec.h"
#include "table/rows/system_rows.h"

namespace partita::metrics {

namespace {

using model::AttributeMap;
using model::AttributeValue;
using table::SystemRow;

AttributeValue whole(int64_t value) { return AttributeValue::number(model::Number::of(value)); }

std::optional<Notice> notice_from(const AttributeValue& value) {
  if (!value.is(model::Type::kM)) return std::nullopt;
  bool sound = true;
  const auto text_in = [&](std::string_view name) {
    const AttributeValue* const found = value.as_map().find(name);
    sound &= found != nullptr && found->is(model::Type::kS);
    return sound ? found->as_string() : std::string();
  };
  const auto whole_in = [&](std::string_view name) {
    const AttributeValue* const found = value.as_map().find(name);
    sound &= found != nullptr && found->is(model::Type::kN) && found->as_number().to_int64();
    return sound ? *found->as_number().to_int64() : 0;
  };
  Notice notice{.id = text_in("id"),
                .action = text_in("action"),
                .subject = text_in("subject"),
                .message = text_in("message"),
                .made_ms = whole_in("made"),
                .due_ms = whole_in("due"),
                .attempts = whole_in("attempts"),
                .failed = value.as_map().contains("failed")};
  if (!sound) return std::nullopt;
  return notice;
}

}  // namespace

storage::Key notices_key(std::string_view alarm) { return table::system_key(SystemRow::kAlarmNotices, alarm); }

std::string_view alarm_of_notices(std::string_view key) { return key.substr(notices_key({}).bytes.size()); }

std::string row_of_notices(const std::vector<Notice>& notices) {
  AttributeValue::List list;
  for (const Notice& notice : notices) {
    AttributeMap map;
    map.set("action", AttributeValue::string(notice.action));
    map.set("attempts", whole(notice.attempts));
    map.set("due", whole(notice.due_ms));
    if (notice.failed) map.set("failed", AttributeValue::boolean(true));
    map.set("id", AttributeValue::string(notice.id));
    map.set("made", whole(notice.made_ms));
    map.set("message", AttributeValue::string(notice.message));
    map.set("subject", AttributeValue::string(notice.subject));
    list.push_back(AttributeValue::map(std::move(map)));
  }
  model::Item item;
  item.set("notices", AttributeValue::list(std::move(list)));
  return model::encode_item(item);
}

Result<std::vector<Notice>> notices_from(std::string_view row) {
  const Error damaged(ErrorKind::kCorrupt, "the row of an alarm's notices is damaged.");
  PARTITA_TRY(const model::Item item, model::decode_item(row));
  const AttributeValue* const list = item.find("notices");
  if (list == nullptr || !list->is(model::Type::kL)) return damaged;
  std::vector<Notice> notices;
  for (const AttributeValue& one : list->as_list()) {
    auto notice = notice_from(one);
    if (!notice) return damaged;
    notices.push_back(std::move(*notice));
  }
  return notices;
}

std::vector<Notice> take_excess(std::vector<Notice>& notices) {
  size_t kept = 0;
  size_t bytes = 0;
  for (auto at = notices.rbegin(); at != notices.rend() && kept < kMostNotices; ++at, ++kept) {
    bytes += at->action.size() + at->subject.size() + at->message.size();
    if (bytes > kMostNoticeBytes && kept > 0) break;
  }
  const auto first = notices.end() - static_cast<std::ptrdiff_t>(kept);
  std::vector<Notice> excess(std::move_iterator(notices.begin()), std::move_iterator(first));
  notices.erase(notices.begin(), first);
  return excess;
}

}  // namespace partita::metrics
