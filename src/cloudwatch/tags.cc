// Tags of alarms: ListTagsForResource, TagResource, UntagResource, and what PutMetricAlarm shares with them.
#include "cloudwatch/tags.h"

#include <functional>
#include <utility>

#include "base/bytes.h"
#include "cloudwatch/alarm_document.h"
#include "cloudwatch/calls.h"
#include "model/fault.h"

namespace partita::cloudwatch {

namespace {

using metrics::Alarm;
using metrics::AlarmStore;
using metrics::HistoryEntry;
using model::Fault;
using wire::Document;

// The lengths are those of the service model of botocore.
constexpr size_t kMostTagKey = 128;
constexpr size_t kMostTagValue = 256;
constexpr size_t kMostArn = 1'024;
constexpr std::string_view kReservedTags = "aws:";
constexpr std::string_view kArnPrefix = "arn:aws:cloudwatch:";
constexpr std::string_view kAlarmInArn = ":alarm:";

Result<void> check_key(std::string_view parameter, std::string_view key) {
  if (!key.starts_with(kReservedTags)) return {};
  return invalid(parameter, "must not have keys that begin with aws:");
}

Error too_many() { return invalid("Tags", "must leave at most " + std::to_string(kMostTags) + " tags on the alarm"); }

using TagsChange = std::function<void(Tags&)>;

// Changes the tags of the alarm that ResourceARN names. `change` may be called several times.
Task<Result<Document>> change_tags(const CallContext& context, Parameters in, TagsChange change) {
  PARTITA_CO_TRY(const std::string name, tagged_alarm(context, in));
  bool found_one = false;
  bool excess = false;
  const AlarmStore::Change changed = [&](const Alarm* found, std::vector<HistoryEntry>&) -> std::optional<Alarm> {
    found_one = found != nullptr;
    if (found == nullptr) return std::nullopt;
    Alarm after = *found;
    change(after.tags);
    excess = after.tags.size() > kMostTags;
    if (excess || after.tags == found->tags) return std::nullopt;
    return after;
  };
  const AlarmStore store(context.engine, context.random);
  auto stored = co_await store.change(name, changed);
  if (!stored.ok()) co_return std::move(stored).error();
  if (!found_one) {
    co_return model::refuse(Fault::kMonitorNoResource, {alarm_arn(context.region, context.account, name)});
  }
  if (excess) co_return too_many();
  co_return Document(Document::Map{});
}

}  // namespace

Result<Tags> tags_in(const Parameters& in) {
  PARTITA_TRY(const auto structures, in.structures("Tags", kMostTags));
  Tags tags;
  for (const Parameters& one : structures) {
    PARTITA_TRY(std::string key, one.needed_text("Key", 1, kMostTagKey));
    PARTITA_TRY(std::string value, one.needed_text("Value", 0, kMostTagValue));
    PARTITA_TRY_VOID(check_key("Tags", key));
    if (!tags.emplace(key, std::move(value)).second) return invalid("Tags", "must have each key once");
  }
  return tags;
}

Result<std::vector<std::string>> tag_keys_in(const Parameters& in) {
  PARTITA_TRY(auto keys, in.texts("TagKeys", kMostTags));
  for (const std::string& key : keys) {
    if (key.empty() || utf16_length(key) > kMostTagKey) {
      return invalid("TagKeys", "must have keys of 1 to " + std::to_string(kMostTagKey) + " characters");
    }
    PARTITA_TRY_VOID(check_key("TagKeys", key));
  }
  return keys;
}

Result<std::string> tagged_alarm(const CallContext& context, const Parameters& in) {
  PARTITA_TRY(const std::string arn, in.needed_text("ResourceARN", 1, kMostArn));
  const size_t at = arn.find(kAlarmInArn);
  if (!arn.starts_with(kArnPrefix) || at == std::string::npos) {
    return invalid("ResourceARN", "must be the ARN of an alarm, arn:aws:cloudwatch:REGION:ACCOUNT:alarm:NAME");
  }
  std::string name = arn.substr(at + kAlarmInArn.size());
  if (name.empty() || utf16_length(name) > kMostAlarmName) {
    return invalid("ResourceARN",
                   "must have an alarm's name of 1 to " + std::to_string(kMostAlarmName) + " characters");
  }
  if (arn == alarm_arn(context.region, context.account, name)) return name;
  return model::refuse(Fault::kMonitorNoResource, {arn});
}

Task<Result<std::optional<Tags>>> tags_of(const CallContext& context, std::string arn) {
  const std::string prefix = alarm_arn(context.region, context.account, {});
  if (!arn.starts_with(prefix)) co_return std::optional<Tags>();
  const AlarmStore store(context.engine, context.random);
  const std::string name = arn.substr(prefix.size());
  PARTITA_CO_TRY(const auto found, co_await store.find(name));
  co_return found ? std::optional<Tags>(found->tags) : std::nullopt;
}

Task<Result<Document>> list_tags_for_resource(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const std::string name, tagged_alarm(context, in));
  const AlarmStore store(context.engine, context.random);
  PARTITA_CO_TRY(const auto found, co_await store.find(name));
  if (!found) {
    co_return model::refuse(Fault::kMonitorNoResource, {alarm_arn(context.region, context.account, name)});
  }
  Document::List listed;
  for (const auto& [key, value] : found->tags) listed.emplace_back(Document::Map{{"Key", key}, {"Value", value}});
  co_return Document(Document::Map{{"Tags", std::move(listed)}});
}

Task<Result<Document>> tag_resource(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const auto given, tags_in(in));
  if (given.empty()) co_return model::refuse(Fault::kMonitorMissing, {"Tags"});
  const TagsChange change = [given](Tags& tags) {
    for (const auto& [key, value] : given) tags[key] = value;
  };
  auto changed = co_await change_tags(context, in, change);
  co_return changed;
}

// Keys that the alarm does not have are ignored.
Task<Result<Document>> untag_resource(const CallContext& context, Parameters in) {
  PARTITA_CO_TRY(const auto keys, tag_keys_in(in));
  if (keys.empty()) co_return model::refuse(Fault::kMonitorMissing, {"TagKeys"});
  const TagsChange change = [keys](Tags& tags) {
    for (const std::string& key : keys) tags.erase(key);
  };
  auto changed = co_await change_tags(context, in, change);
  co_return changed;
}

}  // namespace partita::cloudwatch
