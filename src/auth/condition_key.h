// The condition keys of policies that this server knows the values of. Their names are told apart by letters only, not
// by their case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace partita::auth {

// "Condition keys for Amazon DynamoDB" in the Service Authorization Reference, and the global keys of IAM's user guide.
enum class ConditionKey : uint8_t {
  kUnknown,      // a name in a namespace of AWS's that this server speaks for, and that AWS does not document
  kNever,        // AWS documents it, or it is another service's; no request to this server has it
  kLeadingKeys,  // FirstPartitionKeyValues is another name of it
  kSecondKeys,
  kThirdKeys,
  kFourthKeys,
  kAttributes,
  kSelect,
  kReturnValues,
  kReturnConsumedCapacity,
  kFullTableScan,
  kEnclosingOperation,
  kResourceTag,  // with the tag's key behind a slash, as the next two
  kRequestTag,
  kPrincipalTag,
  kTagKeys,
  kSourceIp,
  kCurrentTime,
  kEpochTime,
  kSecureTransport,
  kPrincipalArn,
  kPrincipalAccount,
  kPrincipalType,
  kUserName,
  kUserId,
  kRequestedRegion,
  kTokenIssueTime,
  kViaService,
  kViaMcpService,
  kPrincipalIsService,
  kResourceAccount,
  kUserAgent,
  kReferer,
  kMultiFactorAuth,
  kRoleSessionName,
  kPolicyArn,
  kPermissionsBoundary,  // the last: see kConditionKeys
};
inline constexpr size_t kConditionKeys = static_cast<size_t>(ConditionKey::kPermissionsBoundary) + 1;

struct KeyName {
  ConditionKey key = ConditionKey::kUnknown;
  std::string tag;  // of those with a slash
};

// Nothing for what is no name of a key: it has a prefix, a colon and a rest.
std::optional<KeyName> key_name(std::string_view text);

// Whether the key tells items or attributes of one table apart.
constexpr bool tells_items_apart(ConditionKey key) {
  using enum ConditionKey;
  return key == kLeadingKeys || key == kSecondKeys || key == kThirdKeys || key == kFourthKeys || key == kAttributes ||
         key == kSelect;
}
// Whether its value is not known before the request's table is.
constexpr bool is_of_one_access(ConditionKey key) {
  return tells_items_apart(key) || key == ConditionKey::kReturnValues || key == ConditionKey::kFullTableScan;
}

// How much work may still be spent on judging one request: about a byte or a value that is looked at is one step.
class Effort {
 public:
  // Enough for every sane policy, and some tens of milliseconds of a processor.
  static constexpr uint64_t kMost = 10'000'000;

  // False when it is used up, from then on.
  bool spend(uint64_t steps) {
    const bool enough = steps <= left_;
    left_ = enough ? left_ - steps : 0;
    return enough;
  }
  bool is_used_up() const { return left_ == 0; }

 private:
  uint64_t left_ = kMost;
};

// What a request is, as conditions see it. For one request.
class Circumstances {
 public:
  Circumstances() : effort_(&own_effort_) {}
  // `effort` outlives it. `of_name`: see below.
  explicit Circumstances(Effort& effort, bool of_name = false) : effort_(&effort), of_name_(of_name) {}
  Circumstances(const Circumstances&) = delete;
  Circumstances& operator=(const Circumstances&) = delete;
  virtual ~Circumstances() = default;

  // The key's values; nothing when the request has no such key. Valid as long as the object is.
  virtual std::optional<std::span<const std::string_view>> values(const KeyName& name) = 0;

  Effort& effort() { return *effort_; }

  // Asks whether anything could be allowed on a resource of that name: a condition on a key of is_of_one_access() holds
  // in what allows, and not in what denies.
  bool is_of_name() const { return of_name_; }

 private:
  Effort own_effort_;
  Effort* effort_;
  bool of_name_ = false;
};

}  // namespace partita::auth
