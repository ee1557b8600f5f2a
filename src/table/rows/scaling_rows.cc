#include "table/rows/scaling_rows.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/bytes.h"
#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/rows/item_fields.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using model::AttributeValue;
using model::Type;

// The letters of the two kinds of rows of kScalingLog.
constexpr char kActivityRow = 'a';
constexpr char kMinuteRow = 'm';
constexpr uint8_t kMinuteFormat = 1;

Error damaged_scaling() { return Error(ErrorKind::kCorrupt, "a row of auto scaling is damaged"); }

bool is_resource_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  return name.size() >= 3 && name.size() <= 255 && std::ranges::all_of(name, fits);
}

std::string key_of_units(const api::ScaledUnits& units) { return units.resource + '\0' + (units.write ? 'W' : 'R'); }

storage::Key log_key(char kind, std::string_view rest = {}) {
  return system_key(SystemRow::kScalingLog, std::string(1, kind).append(rest));
}

AttributeValue whole_number(int64_t value) { return AttributeValue::number(model::Number::of(value)); }
AttributeValue text_value(std::string_view text) { return AttributeValue::string(std::string(text)); }

void put_units(model::Item& item, const api::ScaledUnits& units) {
  item.set("resource", text_value(units.resource));
  item.set("write", AttributeValue::boolean(units.write));
}

// An absent value is not stored.
void put_whole(model::Item& item, std::string name, const std::optional<int64_t>& value) {
  if (value) item.set(std::move(name), whole_number(*value));
}

void take_units(ItemFields& fields, api::ScaledUnits& units) {
  fields.take("resource", units.resource);
  fields.take("write", units.write);
  fields.require(scaled_resource(units.resource).has_value());
}

// The shortest text that reads back as the same number.
std::string percent_text(double percent) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), percent);
  return {text.data(), end.ptr};
}

AttributeValue policy_value(const ScalingPolicy& policy) {
  model::Item item;
  AttributeValue::List alarms;
  for (const std::string& alarm : policy.alarms) alarms.push_back(text_value(alarm));
  item.set("alarms", AttributeValue::list(std::move(alarms)));
  item.set("created", whole_number(policy.created_ms));
  item.set("id", text_value(policy.id));
  put_whole(item, "in_seconds", policy.tracking.in_s);
  if (policy.tracking.label) item.set("label", text_value(*policy.tracking.label));
  item.set("name", text_value(policy.name));
  if (policy.tracking.out_only) item.set("out_only", AttributeValue::boolean(*policy.tracking.out_only));
  put_whole(item, "out_seconds", policy.tracking.out_s);
  item.set("percent", text_value(percent_text(policy.tracking.percent)));
  return AttributeValue::map(std::move(item));
}

Result<ScalingPolicy> policy_from(const AttributeValue& value) {
  ScalingPolicy policy;
  ItemFields fields(value.as_map());
  fields.take("created", policy.created_ms);
  fields.take("id", policy.id);
  fields.take("name", policy.name);
  fields.take("in_seconds", policy.tracking.in_s);
  fields.take("out_seconds", policy.tracking.out_s);
  fields.take("label", policy.tracking.label);
  fields.take("out_only", policy.tracking.out_only);
  std::string percent;
  fields.take("percent", percent);
  const auto read = std::from_chars(percent.data(), percent.data() + percent.size(), policy.tracking.percent);
  fields.require(read.ec == std::errc());
  if (const auto* alarms = fields.find("alarms", Type::kL)) {
    const auto& list = alarms->as_list();
    for (size_t i = 0; i < list.size() && i < policy.alarms.size(); ++i) {
      if (!list[i].is(Type::kS)) return damaged_scaling();
      policy.alarms[i] = list[i].as_string();
    }
  }
  if (!fields.sound()) return damaged_scaling();
  return policy;
}

AttributeValue action_value(const ScheduledAction& action) {
  model::Item item;
  item.set("created", whole_number(action.created_ms));
  item.set("done", whole_number(action.done_ms));
  item.set("end", whole_number(action.end_ms));
  item.set("id", text_value(action.id));
  put_whole(item, "max", action.bounds.max);
  put_whole(item, "min", action.bounds.min);
  item.set("name", text_value(action.name));
  item.set("schedule", text_value(action.schedule));
  item.set("start", whole_number(action.start_ms));
  item.set("zone", text_value(action.zone));
  return AttributeValue::map(std::move(item));
}

Result<ScheduledAction> action_from(const AttributeValue& value) {
  if (!value.is(Type::kM)) return damaged_scaling();
  ScheduledAction action;
  ItemFields fields(value.as_map());
  fields.take("created", action.created_ms);
  fields.take("done", action.done_ms);
  fields.take("end", action.end_ms);
  fields.take("id", action.id);
  fields.take("max", action.bounds.max);
  fields.take("min", action.bounds.min);
  fields.take("name", action.name);
  fields.take("schedule", action.schedule);
  fields.take("start", action.start_ms);
  fields.take("zone", action.zone);
  if (!fields.sound()) return damaged_scaling();
  return action;
}

AttributeValue running_value(const RunningChange& running) {
  model::Item item;
  item.set("activity", text_value(running.activity));
  item.set("began", whole_number(running.began_ms));
  item.set("capacity", whole_number(running.capacity));
  return AttributeValue::map(std::move(item));
}

Result<RunningChange> running_from(const AttributeValue& value) {
  RunningChange running;
  ItemFields fields(value.as_map());
  fields.take("activity", running.activity);
  fields.take("began", running.began_ms);
  fields.take("capacity", running.capacity);
  if (!fields.sound()) return damaged_scaling();
  return running;
}

}  // namespace

std::optional<ScaledResource> scaled_resource(std::string_view resource) {
  constexpr std::string_view kTablePrefix = "table/";
  constexpr std::string_view kIndexPrefix = "index/";
  if (!resource.starts_with(kTablePrefix)) return std::nullopt;
  resource.remove_prefix(kTablePrefix.size());
  const size_t slash = resource.find('/');
  ScaledResource named{std::string(resource.substr(0, slash)), {}};
  if (!is_resource_name(named.table)) return std::nullopt;
  if (slash == std::string_view::npos) return named;
  resource.remove_prefix(slash + 1);
  if (!resource.starts_with(kIndexPrefix)) return std::nullopt;
  named.index = resource.substr(kIndexPrefix.size());
  if (!is_resource_name(named.index)) return std::nullopt;
  return named;
}

storage::Key target_key(const api::ScaledUnits& units) { return system_key(SystemRow::kScaling, key_of_units(units)); }

storage::Range all_targets() { return system_rows(SystemRow::kScaling); }

std::string target_row(const ScalableTarget& target) {
  model::Item item;
  AttributeValue::List actions;
  for (const ScheduledAction& action : target.actions) actions.push_back(action_value(action));
  if (!actions.empty()) item.set("actions", AttributeValue::list(std::move(actions)));
  item.set("clamp", AttributeValue::boolean(target.clamp));
  item.set("created", whole_number(target.created_ms));
  item.set("id", text_value(target.id));
  item.set("in", whole_number(target.in_ms));
  item.set("in_suspended", AttributeValue::boolean(target.in_suspended));
  item.set("max", whole_number(target.max));
  item.set("min", whole_number(target.min));
  item.set("out", whole_number(target.out_ms));
  item.set("out_suspended", AttributeValue::boolean(target.out_suspended));
  if (target.policy) item.set("policy", policy_value(*target.policy));
  item.set("retry", whole_number(target.retry_ms));
  if (target.running) item.set("running", running_value(*target.running));
  item.set("schedule_suspended", AttributeValue::boolean(target.schedule_suspended));
  model::Item tags;
  for (const auto& [key, value] : target.tags) tags.set(key, text_value(value));
  item.set("tags", AttributeValue::map(std::move(tags)));
  put_units(item, target.units);
  return model::encode_item(item);
}

Result<ScalableTarget> target_from(std::string_view row) {
  PARTITA_TRY(const model::Item item, model::decode_item(row));
  ScalableTarget target;
  ItemFields fields(item);
  take_units(fields, target.units);
  fields.take("clamp", target.clamp);
  fields.take("created", target.created_ms);
  fields.take("id", target.id);
  fields.take("in", target.in_ms);
  fields.take("in_suspended", target.in_suspended);
  fields.take("max", target.max);
  fields.take("min", target.min);
  fields.take("out", target.out_ms);
  fields.take("out_suspended", target.out_suspended);
  fields.take("retry", target.retry_ms);
  fields.take("schedule_suspended", target.schedule_suspended);
  if (const auto* policy = fields.find("policy", Type::kM)) {
    PARTITA_TRY(target.policy, policy_from(*policy));
  }
  if (const auto* running = fields.find("running", Type::kM)) {
    PARTITA_TRY(target.running, running_from(*running));
  }
  if (const auto* tags = fields.find("tags", Type::kM)) {
    for (const auto& [key, value] : tags->as_map()) {
      if (!value.is(Type::kS)) return damaged_scaling();
      target.tags.emplace(key, value.as_string());
    }
  }
  if (const auto* actions = fields.find("actions", Type::kL)) {
    for (const AttributeValue& value : actions->as_list()) {
      PARTITA_TRY(ScheduledAction action, action_from(value));
      target.actions.push_back(std::move(action));
    }
  }
  if (!fields.sound()) return damaged_scaling();
  return target;
}

storage::Key activity_key(const ScalingActivity& activity) {
  std::string rest = key_of_units(activity.units);
  append_u64(rest, UINT64_MAX - static_cast<uint64_t>(activity.began_ms));
  return log_key(kActivityRow, rest + activity.id);
}

storage::Range activities_of(const api::ScaledUnits& units) {
  return storage::range_of(log_key(kActivityRow, key_of_units(units)).bytes);
}

storage::Range all_activities() { return storage::range_of(log_key(kActivityRow).bytes); }

std::string activity_row(const ScalingActivity& activity) {
  model::Item item;
  item.set("alarm", whole_number(static_cast<int64_t>(activity.alarm)));
  item.set("alarm_id", text_value(activity.alarm_id));
  item.set("began", whole_number(activity.began_ms));
  item.set("capacity", whole_number(activity.capacity));
  item.set("cause", whole_number(static_cast<int64_t>(activity.cause)));
  item.set("ended", whole_number(activity.ended_ms));
  item.set("failure", whole_number(static_cast<int64_t>(activity.failure)));
  item.set("id", text_value(activity.id));
  put_whole(item, "max", activity.bounds.max);
  put_whole(item, "min", activity.bounds.min);
  item.set("name", text_value(activity.name));
  item.set("status", whole_number(static_cast<int64_t>(activity.status)));
  put_units(item, activity.units);
  return model::encode_item(item);
}

Result<ScalingActivity> activity_from(std::string_view row) {
  PARTITA_TRY(const model::Item item, model::decode_item(row));
  ScalingActivity activity;
  ItemFields fields(item);
  take_units(fields, activity.units);
  fields.take("alarm", activity.alarm, ScalingAlarm::kProvisionedLow);
  fields.take("alarm_id", activity.alarm_id);
  fields.take("began", activity.began_ms);
  fields.take("capacity", activity.capacity);
  fields.take("cause", activity.cause, ActivityCause::kScheduled);
  fields.take("ended", activity.ended_ms);
  fields.take("failure", activity.failure, ActivityFailure::kBounds);
  fields.take("id", activity.id);
  fields.take("max", activity.bounds.max);
  fields.take("min", activity.bounds.min);
  fields.take("name", activity.name);
  fields.take("status", activity.status, ActivityStatus::kFailed);
  if (!fields.sound()) return damaged_scaling();
  return activity;
}

storage::Key minute_key(int64_t minute, uint64_t server) {
  std::string rest;
  append_u64(rest, static_cast<uint64_t>(minute));
  append_u64(rest, server);
  return log_key(kMinuteRow, rest);
}

storage::Range minutes_between(int64_t first, int64_t last) {
  return {minute_key(first, 0).bytes, minute_key(last + 1, 0).bytes};
}

std::string minute_row(const MinuteUnits& units) {
  std::string row(1, static_cast<char>(kMinuteFormat));
  for (const auto& [which, half_units] : units) {
    append_sized(row, which.resource);
    row.push_back(which.write ? 'W' : 'R');
    append_varint(row, static_cast<uint64_t>(half_units));
  }
  return row;
}

Result<MinuteUnits> minute_from(std::string_view row) {
  if (take_u8(row) != kMinuteFormat) return damaged_scaling();
  MinuteUnits units;
  while (!row.empty()) {
    const auto resource = take_sized(row);
    const auto dimension = take_u8(row);
    const auto half_units = take_varint(row);
    if (!resource || !dimension || !half_units) return damaged_scaling();
    units[{std::string(*resource), *dimension == 'W'}] = static_cast<model::HalfUnits>(*half_units);
  }
  return units;
}

std::optional<int64_t> minute_of(std::string_view key) {
  const std::string before = log_key(kMinuteRow).bytes;
  if (!key.starts_with(before)) return std::nullopt;
  key.remove_prefix(before.size());
  const auto minute = take_u64(key);
  if (!minute) return std::nullopt;
  return static_cast<int64_t>(*minute);
}

Result<void> check_scaling_log(std::string_view key, std::string_view row) {
  if (key.starts_with(all_activities().begin)) {
    PARTITA_TRY(const ScalingActivity activity, activity_from(row));
    if (activity_key(activity).bytes != key) return damaged_scaling();
    return {};
  }
  if (!minute_of(key)) return damaged_scaling();
  const auto units = minute_from(row);
  if (!units.ok()) return units.error();
  return {};
}

}  // namespace partita::table
