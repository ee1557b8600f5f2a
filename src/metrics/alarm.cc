#include "metrics/alarm.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <utility>

#include "base/bytes.h"
#include "metrics/alarm_names.h"
#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/rows/item_fields.h"
#include "table/rows/system_rows.h"
#include "wire/alarm_notice.h"

namespace partita::metrics {

namespace {

using model::AttributeValue;
using model::Item;
using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;
using table::ItemFields;
using table::SystemRow;

constexpr size_t kPageOfAlarms = 100;
constexpr size_t kPageOfAlarmsBytes = size_t{1} << 20;
constexpr size_t kMostHistory = 100'000;

Key alarm_key(std::string_view name) { return table::system_key(SystemRow::kAlarm, name); }

std::string history_prefix(std::string_view alarm) {
  std::string rest(alarm);
  rest.push_back('\0');
  return table::system_key(SystemRow::kAlarmHistory, rest).bytes;
}

AttributeValue number(int64_t value) { return AttributeValue::number(model::Number::of(value)); }

AttributeValue bits(double value) {
  std::string bytes;
  append_u64(bytes, std::bit_cast<uint64_t>(value));
  return AttributeValue::binary(std::move(bytes));
}

AttributeValue texts(const std::vector<std::string>& all) {
  AttributeValue::List list;
  for (const std::string& one : all) list.push_back(AttributeValue::string(one));
  return AttributeValue::list(std::move(list));
}

double double_in(ItemFields& fields, std::string_view name) {
  const AttributeValue* const value = fields.find(name, model::Type::kB);
  std::string_view bytes = value == nullptr ? std::string_view() : value->as_bytes();
  const auto taken = take_u64(bytes);
  fields.require(value == nullptr || taken);
  return std::bit_cast<double>(taken.value_or(0));
}

std::string row_of_alarm(const Alarm& alarm) {
  Item item;
  item.set("account", AttributeValue::string(alarm.account));
  item.set("actions_enabled", AttributeValue::boolean(alarm.actions_enabled));
  item.set("alarm_actions", texts(alarm.alarm_actions));
  item.set("changed", number(alarm.changed_ms));
  item.set("comparison", number(static_cast<int64_t>(alarm.rule.comparison)));
  item.set("configured", number(alarm.configured_ms));
  if (alarm.description) item.set("description", AttributeValue::string(*alarm.description));
  std::vector<std::string> dimensions;
  for (const auto& [name, value] : alarm.dimensions) dimensions.insert(dimensions.end(), {name, value});
  item.set("dimensions", texts(dimensions));
  item.set("insufficient_data_actions", texts(alarm.insufficient_data_actions));
  item.set("metric", AttributeValue::string(alarm.metric));
  item.set("missing", number(static_cast<int64_t>(alarm.rule.missing)));
  item.set("ok_actions", texts(alarm.ok_actions));
  item.set("period", number(alarm.period_minutes));
  item.set("periods", number(alarm.rule.periods));
  if (alarm.policy) item.set("policy", texts({alarm.policy->resource, alarm.policy->id, alarm.policy->name}));
  item.set("reason", AttributeValue::string(alarm.reason));
  if (alarm.reason_data) item.set("reason_data", AttributeValue::string(*alarm.reason_data));
  item.set("region", AttributeValue::string(alarm.region));
  item.set("says_missing", AttributeValue::boolean(alarm.says_missing));
  item.set("says_to_alarm", AttributeValue::boolean(alarm.says_to_alarm));
  item.set("space", AttributeValue::string(alarm.space));
  item.set("state", number(static_cast<int64_t>(alarm.state)));
  item.set("statistic", AttributeValue::string(alarm.statistic));
  std::vector<std::string> tags;
  for (const auto& [key, value] : alarm.tags) tags.insert(tags.end(), {key, value});
  if (!tags.empty()) item.set("tags", texts(tags));
  item.set("threshold", bits(alarm.rule.threshold));
  item.set("to_alarm", number(alarm.rule.to_alarm));
  if (alarm.unit) item.set("unit", AttributeValue::string(*alarm.unit));
  item.set("updated", number(alarm.updated_ms));
  return model::encode_item(item);
}

Result<Alarm> alarm_from(std::string_view name, std::string_view row) {
  PARTITA_TRY(const Item item, model::decode_item(row));
  Alarm alarm;
  alarm.name = name;
  ItemFields fields(item);
  fields.take("account", alarm.account);
  fields.take("actions_enabled", alarm.actions_enabled);
  fields.take("alarm_actions", alarm.alarm_actions);
  fields.take("changed", alarm.changed_ms);
  fields.take("comparison", alarm.rule.comparison, Comparison::kAtMost);
  fields.take("configured", alarm.configured_ms);
  fields.take("description", alarm.description);
  std::vector<std::string> dimensions;
  fields.take("dimensions", dimensions);
  for (size_t i = 0; i + 1 < dimensions.size(); i += 2) alarm.dimensions.push_back({dimensions[i], dimensions[i + 1]});
  fields.take("insufficient_data_actions", alarm.insufficient_data_actions);
  fields.take("metric", alarm.metric);
  fields.take("missing", alarm.rule.missing, MissingData::kNotBreaching);
  fields.take("ok_actions", alarm.ok_actions);
  fields.take("period", alarm.period_minutes);
  fields.take("periods", alarm.rule.periods);
  std::vector<std::string> policy;
  fields.take("policy", policy);
  if (policy.size() == 3) alarm.policy = ScalingOwner{policy[0], policy[1], policy[2]};
  fields.take("reason", alarm.reason);
  fields.take("reason_data", alarm.reason_data);
  fields.take("region", alarm.region);
  fields.take("says_missing", alarm.says_missing);
  fields.take("says_to_alarm", alarm.says_to_alarm);
  fields.take("space", alarm.space);
  fields.take("state", alarm.state, AlarmState::kInsufficientData);
  fields.take("statistic", alarm.statistic);
  std::vector<std::string> tags;
  fields.take("tags", tags);
  for (size_t i = 0; i + 1 < tags.size(); i += 2) alarm.tags.emplace(tags[i], tags[i + 1]);
  alarm.rule.threshold = double_in(fields, "threshold");
  fields.take("to_alarm", alarm.rule.to_alarm);
  fields.take("unit", alarm.unit);
  fields.take("updated", alarm.updated_ms);
  if (!fields.sound() || alarm.period_minutes < 1 || alarm.rule.periods < 1) {
    return Error(ErrorKind::kCorrupt, "the row of an alarm is damaged.");
  }
  return alarm;
}

std::optional<std::string_view> view_if(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

wire::AlarmNoticeText text_of(const Alarm& before, const Alarm& after) {
  constexpr int64_t kSecondsOfMinute = 60;
  wire::AlarmNoticeText text{.name = after.name,
                             .description = view_if(after.description),
                             .region = after.region,
                             .account = after.account,
                             .configured_ms = after.configured_ms,
                             .changed_ms = after.changed_ms,
                             .state = name_of(after.state),
                             .reason = after.reason,
                             .old_state = name_of(before.state),
                             .ok_actions = after.ok_actions,
                             .alarm_actions = after.alarm_actions,
                             .insufficient_data_actions = after.insufficient_data_actions,
                             .metric = after.metric,
                             .space = after.space,
                             .statistic = after.statistic,
                             .unit = view_if(after.unit),
                             .dimensions = {},
                             .period_s = after.period_minutes * kSecondsOfMinute,
                             .periods = after.rule.periods,
                             .to_alarm = std::nullopt,
                             .comparison = name_of(after.rule.comparison),
                             .threshold = after.rule.threshold,
                             .missing = name_of(after.rule.missing)};
  for (const auto& [name, value] : after.dimensions) text.dimensions.emplace_back(name, value);
  if (after.says_to_alarm) text.to_alarm = after.rule.to_alarm;
  return text;
}

const std::vector<std::string>& actions_of(const Alarm& alarm) {
  if (alarm.state == AlarmState::kAlarm) return alarm.alarm_actions;
  return alarm.state == AlarmState::kOk ? alarm.ok_actions : alarm.insufficient_data_actions;
}

// Adds a notice for each action of the new state, if there is one. `waiting`: the row of the others, or null; a damaged
// one is replaced.
void put_notices(const Alarm& before, const Alarm& after, const Record* waiting, Random& random,
                 std::vector<HistoryEntry>& entries, Changes& changes) {
  const std::vector<std::string>& actions = actions_of(after);
  if (before.state == after.state || !after.actions_enabled || actions.empty()) return;
  std::vector<Notice> notices;
  if (waiting != nullptr) {
    auto read = notices_from(waiting->value);
    if (read.ok()) notices = std::move(*read);
  }
  const wire::AlarmNoticeText text = text_of(before, after);
  const std::string subject = wire::alarm_notice_subject(text);
  const std::string message = wire::alarm_notice_message(text);
  for (const std::string& action : actions) {
    notices.push_back({random.uuid(), action, subject, message, after.changed_ms, after.changed_ms});
  }
  for (const Notice& excess : take_excess(notices)) {
    const std::string error = "Too many notices of the alarm are waiting; this one was given up.";
    entries.push_back(entry_of_notice(after.name, excess, error, after.changed_ms));
  }
  changes.put(notices_key(after.name), row_of_notices(notices));
}

std::string_view name_in_key(std::string_view key) { return key.substr(alarm_key({}).bytes.size()); }

Result<HistoryEntry> entry_from(std::string_view key, std::string_view row) {
  key.remove_prefix(table::system_key(SystemRow::kAlarmHistory).bytes.size());
  HistoryEntry entry;
  entry.alarm = key.substr(0, key.find('\0'));
  key.remove_prefix(std::min(key.size(), entry.alarm.size() + 1));
  const auto at_ms = take_u64(key);
  const auto number = take_u32(key);
  PARTITA_TRY(const Item item, model::decode_item(row));
  ItemFields fields(item);
  fields.take("kind", entry.kind, HistoryKind::kAction);
  fields.take("summary", entry.summary);
  fields.take("data", entry.data);
  if (!at_ms || !number || !fields.sound())
    return Error(ErrorKind::kCorrupt, "a row of an alarm's history is damaged.");
  entry.at_ms = static_cast<int64_t>(*at_ms);
  entry.number = *number;
  return entry;
}

// Numbers entries in the order of their transactions. It begins anywhere, so two servers hardly ever make one key.
uint32_t next_number(Random& random) {
  static std::atomic<uint32_t> next(static_cast<uint32_t>(random.next()));
  return next.fetch_add(1, std::memory_order_relaxed);
}

std::string history_bound(std::string_view alarm, int64_t at_ms) {
  std::string bound = history_prefix(alarm);
  append_u64(bound, static_cast<uint64_t>(std::max<int64_t>(at_ms, 0)));
  return bound;
}

}  // namespace

HistoryEntry entry_of_notice(const std::string& alarm, const Notice& notice, const std::optional<std::string>& error,
                             int64_t now_ms) {
  const wire::AlarmActionText text{notice.action, notice.made_ms, notice.message, view_if(error)};
  return {alarm, now_ms, HistoryKind::kAction, wire::alarm_action_summary(text), wire::alarm_action_data(text)};
}

void put_history(const std::vector<HistoryEntry>& entries, Random& random, Changes& changes) {
  for (const HistoryEntry& entry : entries) {
    std::string rest =
        history_bound(entry.alarm, entry.at_ms).substr(table::system_key(SystemRow::kAlarmHistory).bytes.size());
    append_u32(rest, next_number(random));
    Item item;
    item.set("data", AttributeValue::string(entry.data));
    item.set("kind", number(static_cast<int64_t>(entry.kind)));
    item.set("summary", AttributeValue::string(entry.summary));
    changes.put(table::system_key(SystemRow::kAlarmHistory, rest), model::encode_item(item));
  }
}

Task<Result<bool>> AlarmStore::change(std::string name, Change change) const {
  Result<bool> changed = false;
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    std::optional<Alarm> before;
    if (found[0] != nullptr) {
      auto read = alarm_from(name, found[0]->value);
      if (!read.ok()) {
        changed = read.error();
        return Decision::kRefuse;
      }
      before = std::move(*read);
    }
    std::vector<HistoryEntry> entries;
    const std::optional<Alarm> after = change(before ? &*before : nullptr, entries);
    changed = after.has_value();
    if (!after) return Decision::kRefuse;
    table::put_twice(alarm_key(name), row_of_alarm(*after), changes);
    if (before && found.size() > 1) put_notices(*before, *after, found[1], random_, entries, changes);
    put_history(entries, random_, changes);
    return Decision::kCommit;
  };
  std::vector<Key> keys{alarm_key(name)};
  if (actions_ == AlarmActions::kSent) keys.push_back(notices_key(name));
  std::vector<storage::Compare> compare;
  auto outcome = co_await engine_.transact(std::move(keys), std::move(compare), decide);
  if (!outcome.ok()) co_return std::move(outcome).error();
  co_return changed;
}

Task<Result<bool>> AlarmStore::erase(std::string name, HistoryEntry entry) const {
  const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
    if (found[0] == nullptr) return Decision::kRefuse;
    table::erase_twice(alarm_key(name), changes);
    changes.erase(notices_key(name));
    put_history({entry}, random_, changes);
    return Decision::kCommit;
  };
  std::vector<Key> keys{alarm_key(name)};
  std::vector<storage::Compare> compare;
  auto outcome = co_await engine_.transact(std::move(keys), std::move(compare), decide);
  PARTITA_CO_TRY(const storage::Outcome done, std::move(outcome));
  co_return done == storage::Outcome::kCommitted;
}

Task<Result<std::optional<Alarm>>> AlarmStore::find(std::string name) const {
  std::vector<Key> keys{alarm_key(name)};
  auto read = co_await engine_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  if (!records[0]) co_return std::optional<Alarm>();
  PARTITA_CO_TRY(Alarm alarm, alarm_from(name, records[0]->value));
  co_return std::optional<Alarm>(std::move(alarm));
}

Task<Result<std::vector<Alarm>>> AlarmStore::list(std::string prefix, std::string after, size_t most) const {
  std::vector<Alarm> alarms;
  storage::Range range = storage::range_of(alarm_key(prefix).bytes);
  if (!after.empty()) range.begin = std::max(range.begin, alarm_key(after).bytes + '\0');
  for (bool more = alarms.size() < most && !storage::is_empty(range); more;) {
    auto scanned =
        co_await engine_.scan(range, storage::Direction::kAscending, std::min(most, kPageOfAlarms), kPageOfAlarmsBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    for (size_t i = 0; i < page.size() && alarms.size() < most; ++i) {
      PARTITA_CO_TRY(Alarm alarm, alarm_from(name_in_key(page[i].key), page[i].value));
      alarms.push_back(std::move(alarm));
    }
    more = storage::advance(range, page) && alarms.size() < most;
  }
  co_return alarms;
}

// The oldest first.
Task<Result<std::vector<AlarmStore::HistoryPlace>>> AlarmStore::places_of(const HistoryPart& part) const {
  std::vector<HistoryPlace> places;
  storage::Range range = table::system_rows(SystemRow::kAlarmHistory);
  if (!part.alarm.empty()) range = {history_bound(part.alarm, part.from_ms), history_bound(part.alarm, part.to_ms)};
  for (bool more = !storage::is_empty(range); more;) {
    auto scanned = co_await engine_.scan(range, storage::Direction::kAscending, kPageOfAlarms, kPageOfAlarmsBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    for (size_t i = 0; i < page.size(); ++i) {
      PARTITA_CO_TRY(const HistoryEntry entry, entry_from(page[i].key, page[i].value));
      const bool wanted = entry.at_ms >= part.from_ms && entry.at_ms < part.to_ms;
      if (wanted && (!part.kind || entry.kind == *part.kind)) {
        places.push_back({entry.at_ms, entry.number, table::key_of_row(page[i].key)});
      }
    }
    more = storage::advance(range, page) && places.size() < kMostHistory;
  }
  const auto order = [](const HistoryPlace& place) { return std::pair(place.at_ms, place.number); };
  std::ranges::stable_sort(places, {}, order);
  co_return places;
}

Task<Result<HistoryPage>> AlarmStore::history(HistoryPart part) const {
  PARTITA_CO_TRY(std::vector<HistoryPlace> places, co_await places_of(part));
  if (part.newest_first) std::ranges::reverse(places);
  const size_t begin = std::min(part.skipped, places.size());
  const size_t end = begin + std::min(part.most, places.size() - begin);
  std::vector<Key> keys;
  for (size_t i = begin; i < end; ++i) keys.push_back(places[i].key);
  HistoryPage page{{}, end < places.size()};
  if (keys.empty()) co_return page;
  auto read = co_await engine_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!records[i]) continue;  // was erased meanwhile
    PARTITA_CO_TRY(HistoryEntry entry, entry_from(keys[i].bytes, records[i]->value));
    page.entries.push_back(std::move(entry));
  }
  co_return page;
}

Task<Result<void>> AlarmStore::erase_old(int64_t now_ms) const {
  storage::Range range = table::system_rows(SystemRow::kAlarmHistory);
  for (bool more = true; more;) {
    auto scanned = co_await engine_.scan(range, storage::Direction::kAscending, kPageOfAlarms, kPageOfAlarmsBytes);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    std::vector<Key> old;
    for (size_t i = 0; i < page.size(); ++i) {
      const auto entry = entry_from(page[i].key, page[i].value);
      if (entry.ok() && std::abs(now_ms - entry->at_ms) > kHistoryKeptMs) old.push_back(table::key_of_row(page[i].key));
    }
    more = storage::advance(range, page);
    if (old.empty()) continue;
    const storage::Decide decide = [&](std::span<const Record* const>, Changes& changes) {
      for (const Key& key : old) changes.erase(key);
      return Decision::kCommit;
    };
    std::vector<Key> keys;
    std::vector<storage::Compare> compare;
    auto outcome = co_await engine_.transact(std::move(keys), std::move(compare), decide);
    if (!outcome.ok()) co_return std::move(outcome).error();
  }
  co_return Result<void>();
}

}  // namespace partita::metrics
