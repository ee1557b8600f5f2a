#include "clusters/checks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "clusters/cluster.h"
#include "model/fault.h"

namespace partita::clusters {

namespace {

using model::Fault;
using model::refuse;

constexpr int64_t kFewestResults = 20;
constexpr size_t kMostDescription = 255;
constexpr size_t kMostText = 1'024;  // of an ARN

Error bad(std::string_view member, std::string_view what) {
  return refuse(Fault::kClusterValue, {std::string(member), std::string(what)});
}

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c); });
}

// What follows `prefix`; absent: the text does not begin with it, or nothing follows.
std::optional<std::string_view> behind(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix) || text.size() == prefix.size()) return std::nullopt;
  return text.substr(prefix.size());
}

// The parts of "arn:PARTITION:SERVICE:REGION:ACCOUNT:REST" behind the first; empty if there are fewer.
std::array<std::string_view, 5> parts_of_arn(std::string_view arn) {
  std::array<std::string_view, 5> parts;
  const auto rest = behind(arn, "arn:");
  if (!rest || arn.size() > kMostText) return parts;
  std::string_view left = *rest;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const size_t colon = left.find(':');
    if (colon == std::string_view::npos) return {};
    parts[i] = left.substr(0, colon);
    left.remove_prefix(colon + 1);
  }
  parts.back() = left;
  return parts;
}

bool is_account(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

// Minutes since Sunday of "ddd:hh:mm".
std::optional<int> minute_of_week(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kDays{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
  constexpr int kMinutes = 60;
  constexpr int kHours = 24;
  if (text.size() != 9 || text[3] != ':' || text[6] != ':') return std::nullopt;
  const auto* const day = std::ranges::find(kDays, text.substr(0, 3));
  const bool digits = is_digit(text[4]) && is_digit(text[5]) && is_digit(text[7]) && is_digit(text[8]);
  if (day == kDays.end() || !digits) return std::nullopt;
  const int hour = (text[4] - '0') * 10 + (text[5] - '0');
  const int minute = (text[7] - '0') * 10 + (text[8] - '0');
  if (hour >= kHours || minute >= kMinutes) return std::nullopt;
  return (static_cast<int>(day - kDays.begin()) * kHours + hour) * kMinutes + minute;
}

// Characters of UTF-8.
size_t length_of(std::string_view text) {
  constexpr unsigned kMask = 0xc0;
  constexpr unsigned kFollowing = 0x80;
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & kMask) != kFollowing; }));
}

}  // namespace

Result<void> check_cluster_name(std::string_view name) {
  constexpr size_t kMost = 20;
  const bool sound = !name.empty() && name.size() <= kMost && is_letter(name[0]) && name.back() != '-' &&
                     !name.contains("--") &&
                     std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
  if (sound) return {};
  return bad("ClusterName",
             "must have 1 to 20 letters, digits or hyphens, begin with a letter, not end with a hyphen, "
             "and not have two hyphens in a row");
}

Result<void> check_group_name(std::string_view member, std::string_view name) {
  constexpr size_t kMost = 255;
  const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.'; };
  const bool sound = !name.empty() && name.size() <= kMost && is_letter(name[0]) && std::ranges::all_of(name, fits);
  if (sound) return {};
  return bad(member, "must have 1 to 255 letters, digits, hyphens, underscores or dots, and begin with a letter");
}

Result<void> check_node_type(std::string_view type) {
  const auto rest = behind(type, "dax.");
  const size_t dot = rest ? rest->find('.') : std::string_view::npos;
  if (dot != std::string_view::npos && is_word(rest->substr(0, dot)) && is_word(rest->substr(dot + 1))) return {};
  return bad("NodeType", "must be a type of DAX's nodes, as dax.r5.large");
}

Result<void> check_window(std::string_view window) {
  constexpr int kWeek = 7 * 24 * 60;
  constexpr int kShortest = 60;
  const size_t dash = window.find('-');
  std::optional<int> from;
  std::optional<int> to;
  if (dash != std::string_view::npos) {
    from = minute_of_week(window.substr(0, dash));
    to = minute_of_week(window.substr(dash + 1));
  }
  if (from && to && (*to - *from + kWeek) % kWeek >= kShortest) return {};
  return bad("PreferredMaintenanceWindow", "must be of 60 minutes or more, as sun:05:00-sun:09:00");
}

Result<void> check_role(std::string_view arn) {
  const auto [partition, service, region, account, rest] = parts_of_arn(arn);
  if (partition.starts_with("aws") && service == "iam" && region.empty() && is_account(account) &&
      behind(rest, "role/")) {
    return {};
  }
  return bad("IamRoleArn", "must be the ARN of a role of IAM");
}

Result<void> check_topic(std::string_view arn) {
  const auto [partition, service, region, account, rest] = parts_of_arn(arn);
  if (partition.starts_with("aws") && service == "sns" && !region.empty() && is_account(account) && !rest.empty()) {
    return {};
  }
  return bad("NotificationTopicArn", "must be the ARN of a topic of SNS");
}

Result<void> check_security_groups(const std::vector<std::string>& ids) {
  constexpr size_t kMost = 50;
  const auto sound = [](std::string_view id) {
    const auto rest = behind(id, "sg-");
    return rest && is_word(*rest) && id.size() <= kMost;
  };
  if (ids.size() <= kMost && std::ranges::all_of(ids, sound)) return {};
  return bad("SecurityGroupIds", "must be a list of at most 50 ids of security groups, as sg-0123456789abcdef0");
}

Result<void> check_zones(const std::vector<std::string>& zones, std::string_view region) {
  for (const std::string& zone : zones) {
    const auto letter = behind(zone, region);
    const bool sound = letter && letter->size() == 1 && is_lower(letter->front());
    if (!sound) return bad("AvailabilityZones", "must be zones of " + std::string(region));
  }
  return {};
}

Result<void> check_description(const std::optional<std::string>& description) {
  if (!description || length_of(*description) <= kMostDescription) return {};
  return bad("Description", "must have at most 255 characters");
}

Result<void> check_tags(const std::vector<api::Tag>& tags) {
  constexpr size_t kMostKey = 128;
  constexpr size_t kMostValue = 256;
  std::set<std::string_view> keys;
  for (const api::Tag& tag : tags) {
    const std::string_view key = tag.key ? std::string_view(*tag.key) : std::string_view();
    if (key.empty() || length_of(key) > kMostKey) return bad("Tags", "must have keys of 1 to 128 characters");
    if (key.starts_with("aws:")) return bad("Tags", "must have no keys that begin with aws:");
    if (length_of(tag.value.value_or("")) > kMostValue)
      return bad("Tags", "must have values of at most 256 characters");
    if (!keys.insert(key).second) return bad("Tags", "must have each key once");
  }
  return {};
}

Result<void> check_subnets(const std::vector<std::string>& ids) {
  constexpr size_t kLongest = 255;
  if (ids.empty()) return refuse(Fault::kSubnetInvalid, {"A subnet group needs a subnet."});
  if (ids.size() > kMostSubnets) return refuse(Fault::kSubnetQuota, {std::to_string(kMostSubnets)});
  std::set<std::string_view> known;
  for (const std::string& id : ids) {
    const auto rest = behind(id, "subnet-");
    const bool sound = rest && is_word(*rest) && id.size() <= kLongest;
    if (!sound)
      return refuse(Fault::kSubnetInvalid, {"'" + id + "' is not the id of a subnet: subnet-0123456789abcdef0."});
    if (!known.insert(id).second) return refuse(Fault::kSubnetInvalid, {"Subnet " + id + " is named twice."});
  }
  return {};
}

Result<void> check_page(const api::PageRequest& page) {
  const int64_t most = page.most.value_or(kMostResults);
  if (most >= kFewestResults && most <= kMostResults) return {};
  return bad("MaxResults", "must be between 20 and 100");
}

}  // namespace partita::clusters
