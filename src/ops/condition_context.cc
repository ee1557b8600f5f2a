#include "ops/condition_context.h"

#include <algorithm>

#include "auth/identities.h"
#include "auth/text_util.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "ops/call.h"
#include "ops/enum_names.h"
#include "table/control/tables.h"

namespace partita::ops {

namespace {

using auth::ConditionKey;
using table::Verb;

// The whole item, which a failed condition returns on demand, is more than anything else that may be asked for.
api::ReturnValues returned(const table::Access& access) {
  return access.returned_on_failure ? api::ReturnValues::kAllOld : access.returned;
}

// What is meant where nothing is said, too.
api::Select selected(const table::Access& access) {
  if (access.select != api::Select::kDefault) return access.select;
  if (access.projection != nullptr) return api::Select::kSpecific;
  return access.index == nullptr ? api::Select::kAllAttributes : api::Select::kAllProjected;
}

bool reads(Verb verb) {
  return verb == Verb::kGet || verb == Verb::kQuery || verb == Verb::kScan || verb == Verb::kSearch;
}
// A page may end with the key of its last item, asked for or not.
void add_key_names(const table::Access& access, std::vector<std::string>& names) {
  const auto add = [&](const model::KeySchema& keys) {
    for (const auto* elements : {&keys.partition, &keys.sort}) {
      for (const model::KeyElement& element : *elements) {
        if (std::ranges::find(names, element.name) == names.end()) names.push_back(element.name);
      }
    }
  };
  add(access.table->keys);
  if (access.index != nullptr) add(access.index->keys);
}

bool writes(Verb verb) {
  return verb == Verb::kPut || verb == Verb::kUpdate || verb == Verb::kDelete || verb == Verb::kCheck;
}

std::string_view text_of(const std::optional<std::string>& text) {
  return text ? std::string_view(*text) : std::string_view();
}

// The value of that name; letters of either case are the same where no name is the very same.
template <class Range, class Name, class Value>
std::optional<std::string_view> find_tag(const Range& tags, std::string_view wanted, Name name, Value value) {
  const auto same = [&](const auto& tag) { return std::string_view(name(tag)) == wanted; };
  const auto alike = [&](const auto& tag) {
    return std::ranges::equal(std::string_view(name(tag)), wanted, {}, auth::lower, auth::lower);
  };
  auto found = std::ranges::find_if(tags, same);
  if (found == tags.end()) found = std::ranges::find_if(tags, alike);
  if (found == tags.end()) return std::nullopt;
  return std::string_view(value(*found));
}

std::optional<std::string_view> find_tag(const std::map<std::string, std::string>& tags, std::string_view wanted) {
  return find_tag(
      tags, wanted, [](const auto& tag) { return std::string_view(tag.first); },
      [](const auto& tag) { return std::string_view(tag.second); });
}

}  // namespace

AccessConditionContext::Values AccessConditionContext::one(ConditionKey key, std::string_view value) {
  std::string_view& kept = ones_[static_cast<size_t>(key)];
  kept = value;
  return std::span<const std::string_view>(&kept, 1);
}

AccessConditionContext::Values AccessConditionContext::of_caller(ConditionKey key) {
  const auth::Identity* const who = context_.caller.identity;
  switch (key) {
    case ConditionKey::kPrincipalArn:
      return one(key, who->role.empty() ? who->arn : who->role);
    case ConditionKey::kPrincipalAccount:
      return one(key, context_.caller.account_id);
    case ConditionKey::kPrincipalType:
      return one(key, who->role.empty() ? "User" : "AssumedRole");
    case ConditionKey::kUserName:
      return who->name.empty() ? std::nullopt : one(key, who->name);
    case ConditionKey::kUserId:
      return one(key, who->id);
    case ConditionKey::kRequestedRegion:
      return one(key, context_.caller.region);
    case ConditionKey::kPrincipalIsService:
      return one(key, "false");
    case ConditionKey::kResourceAccount:
      return one(key, context_.caller.account_id);
    case ConditionKey::kMultiFactorAuth:  // only credentials for a while say it
      return who->issued_ms == 0 ? std::nullopt : one(key, "false");
    case ConditionKey::kTokenIssueTime:
      if (who->issued_ms == 0) return std::nullopt;
      issued_ = std::string(utc_text(who->issued_ms).data()) + "Z";
      return one(key, issued_);
    default:
      return std::nullopt;
  }
}

std::string_view AccessConditionContext::header(std::string_view lower_name) const {
  return context_.source == nullptr ? std::string_view() : context_.source->header(lower_name);
}

AccessConditionContext::Values AccessConditionContext::of_moment(ConditionKey key) {
  switch (key) {
    case ConditionKey::kCurrentTime:
      if (time_.empty()) time_ = std::string(utc_text(context_.database.clock().now_ms()).data()) + "Z";
      return one(key, time_);
    case ConditionKey::kEpochTime:
      if (epoch_.empty()) epoch_ = std::to_string(context_.database.clock().now_ms() / 1000);
      return one(key, epoch_);
    case ConditionKey::kSourceIp:
      if (source_.empty() && context_.source != nullptr) source_ = context_.source->address();
      return source_.empty() ? std::nullopt : one(key, source_);
    case ConditionKey::kSecureTransport:
      return one(key, context_.source != nullptr && context_.source->encrypted() ? "true" : "false");
    case ConditionKey::kViaService:
    case ConditionKey::kViaMcpService:
      return one(key, "false");
    case ConditionKey::kUserAgent:
      return one(key, header("user-agent"));
    case ConditionKey::kReferer:
      return header("referer").empty() ? std::nullopt : one(key, header("referer"));
    default:
      return std::nullopt;
  }
}

// Also of an index whose key has fewer parts.
AccessConditionContext::Values AccessConditionContext::partition_key(ConditionKey key, size_t part) {
  const model::AttributeValue* value = nullptr;
  if (access_.range != nullptr) {
    if (part < access_.range->partition.size()) value = &access_.range->partition[part];
  } else if (access_.item != nullptr && access_.table != nullptr) {
    const auto& elements = access_.table->keys.partition;
    if (part < elements.size()) value = access_.item->find(elements[part].name);
  }
  if (value == nullptr) return std::nullopt;
  if (value->is(model::Type::kS)) return one(key, value->as_string());
  std::string& kept = key_texts_.emplace_front();
  if (value->is(model::Type::kN)) kept = value->as_number().to_string();
  if (value->is(model::Type::kB)) append_base64(kept, value->as_binary());
  return one(key, kept);
}

AccessConditionContext::Values AccessConditionContext::attributes() {
  if (access_.table == nullptr) return std::nullopt;
  if (names_.empty()) {
    names_ = access_.attributes();
    if (access_.verb == Verb::kQuery || access_.verb == Verb::kScan) add_key_names(access_, names_);
    name_views_.assign(names_.begin(), names_.end());
  }
  return std::span<const std::string_view>(name_views_);
}

AccessConditionContext::Values AccessConditionContext::of_items(ConditionKey key) {
  const bool statement = context_.operation.action == kActionsOfStatements;
  const bool transaction = context_.operation.action.empty() || context_.operation.name == "ExecuteTransaction";
  switch (key) {
    case ConditionKey::kLeadingKeys:
      return partition_key(key, 0);
    case ConditionKey::kSecondKeys:
      return partition_key(key, 1);
    case ConditionKey::kThirdKeys:
      return partition_key(key, 2);
    case ConditionKey::kFourthKeys:
      return partition_key(key, 3);
    case ConditionKey::kAttributes:
      return attributes();
    case ConditionKey::kSelect:
      return reads(access_.verb) ? one(key, kSelects.name_of(selected(access_))) : std::nullopt;
    case ConditionKey::kReturnValues:
      return writes(access_.verb) ? one(key, kReturnValues.name_of(returned(access_))) : std::nullopt;
    case ConditionKey::kReturnConsumedCapacity:
      return access_.verb == Verb::kControl ? std::nullopt : one(key, kCapacityDetails.name_of(capacity_));
    case ConditionKey::kFullTableScan:
      if (!statement || !reads(access_.verb)) return std::nullopt;
      return one(key, access_.verb == Verb::kScan ? "true" : "false");
    case ConditionKey::kEnclosingOperation:
      return transaction ? one(key, context_.operation.name) : std::nullopt;
    default:
      return std::nullopt;
  }
}

AccessConditionContext::Values AccessConditionContext::tag_keys() {
  if (tag_views_.empty() && access_.tags != nullptr) {
    for (const api::Tag& tag : *access_.tags) tag_views_.push_back(text_of(tag.key));
  } else if (tag_views_.empty() && access_.tag_names != nullptr) {
    tag_views_.assign(access_.tag_names->begin(), access_.tag_names->end());
  }
  if (tag_views_.empty()) return std::nullopt;
  return std::span<const std::string_view>(tag_views_);
}

AccessConditionContext::Values AccessConditionContext::tag(const auth::KeyName& name) {
  std::optional<std::string_view> found;
  if (name.key == ConditionKey::kPrincipalTag) found = find_tag(context_.caller.identity->tags, name.tag);
  if (name.key == ConditionKey::kResourceTag && owner_ != nullptr) found = find_tag(owner_->tags, name.tag);
  if (name.key == ConditionKey::kRequestTag && access_.tags != nullptr) {
    found = find_tag(
        *access_.tags, name.tag, [](const api::Tag& tag) { return text_of(tag.key); },
        [](const api::Tag& tag) { return text_of(tag.value); });
  }
  if (!found) return std::nullopt;
  return std::span<const std::string_view>(&tags_.emplace_front(*found), 1);
}

AccessConditionContext::Values AccessConditionContext::values(const auth::KeyName& name) {
  switch (name.key) {
    case ConditionKey::kLeadingKeys:
    case ConditionKey::kSecondKeys:
    case ConditionKey::kThirdKeys:
    case ConditionKey::kFourthKeys:
    case ConditionKey::kAttributes:
    case ConditionKey::kSelect:
    case ConditionKey::kReturnValues:
      depends_on_item_ = true;
      return of_items(name.key);
    case ConditionKey::kReturnConsumedCapacity:
    case ConditionKey::kFullTableScan:
    case ConditionKey::kEnclosingOperation:
      return of_items(name.key);
    case ConditionKey::kResourceTag:
    case ConditionKey::kRequestTag:
    case ConditionKey::kPrincipalTag:
      return tag(name);
    case ConditionKey::kTagKeys:
      return tag_keys();
    case ConditionKey::kSourceIp:
    case ConditionKey::kCurrentTime:
    case ConditionKey::kEpochTime:
    case ConditionKey::kSecureTransport:
    case ConditionKey::kViaService:
    case ConditionKey::kViaMcpService:
    case ConditionKey::kUserAgent:
    case ConditionKey::kReferer:
      return of_moment(name.key);
    case ConditionKey::kPrincipalArn:
    case ConditionKey::kPrincipalAccount:
    case ConditionKey::kPrincipalType:
    case ConditionKey::kUserName:
    case ConditionKey::kUserId:
    case ConditionKey::kRequestedRegion:
    case ConditionKey::kTokenIssueTime:
    case ConditionKey::kMultiFactorAuth:
    case ConditionKey::kPrincipalIsService:
    case ConditionKey::kResourceAccount:
      return of_caller(name.key);
    case ConditionKey::kRoleSessionName:
    case ConditionKey::kPolicyArn:
    case ConditionKey::kPermissionsBoundary:
    case ConditionKey::kNever:
    case ConditionKey::kUnknown:
      break;
  }
  return std::nullopt;
}

std::optional<std::span<const std::string_view>> SubjectConditionContext::one(std::optional<std::string_view> value) {
  if (!value) return std::nullopt;
  return std::span<const std::string_view>(&ones_.emplace_front(*value), 1);
}

std::optional<std::span<const std::string_view>> SubjectConditionContext::values(const auth::KeyName& name) {
  switch (name.key) {
    case ConditionKey::kResourceTag:
      return subject_.tags == nullptr ? std::nullopt : one(find_tag(*subject_.tags, name.tag));
    case ConditionKey::kRequestTag:
      return one(find_tag(subject_.given, name.tag));
    case ConditionKey::kTagKeys:
      if (subject_.tag_keys.empty()) return std::nullopt;
      return std::span<const std::string_view>(subject_.tag_keys);
    case ConditionKey::kPolicyArn:
      return one(subject_.policy);
    case ConditionKey::kPermissionsBoundary:
      return one(subject_.boundary);
    case ConditionKey::kRoleSessionName:
      return one(subject_.session_name);
    default:
      return caller_.values(name);
  }
}

}  // namespace partita::ops
