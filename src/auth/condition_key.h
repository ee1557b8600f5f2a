// The condition keys of policies whose values this server knows. Names ignore case.
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
  kUnknown,      // in a namespace of AWS's that this server implements, but not documented by AWS
  kNever,        // documented by AWS, or of another service; no request to this server has it
  kLeadingKeys,  // also named FirstPartitionKeyValues
  kSecondKeys,
  kThirdKeys,
  kFourthKeys,
  kAttributes,
  kSelect,
  kReturnValues,
  kReturnConsumedCapacity,
  kFullTableScan,
  kEnclosingOperation,
  kResourceTag,  // with the tag's key after a slash, like the next two
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
  std::string tag;  // the part after the slash
};

// Nullopt if the text is not a key's name: a prefix, a colon and a rest.
std::optional<KeyName> key_name(std::string_view text);

// Whether the key distinguishes items or attributes of one table.
constexpr bool tells_items_apart(ConditionKey key) {
  using enum ConditionKey;
  return key == kLeadingKeys || key == kSecondKeys || key == kThirdKeys || key == kFourthKeys || key == kAttributes ||
         key == kSelect;
}
// Whether the key's value is known only after the request's table.
constexpr bool is_of_one_access(ConditionKey key) {
  return tells_items_apart(key) || key == ConditionKey::kReturnValues || key == ConditionKey::kFullTableScan;
}

// The work that may still be spent on evaluating policies for one request. Reading a byte or a value is about one step.
class Effort {
 public:
  // Enough for every reasonable policy; some tens of milliseconds of CPU.
  static constexpr uint64_t kMost = 10'000'000;

  // False once it is used up.
  bool spend(uint64_t steps) {
    const bool enough = steps <= left_;
    left_ = enough ? left_ - steps : 0;
    return enough;
  }
  bool is_used_up() const { return left_ == 0; }

 private:
  uint64_t left_ = kMost;
};

// A request as conditions see it. For one request.
class ConditionContext {
 public:
  ConditionContext() : effort_(&own_effort_) {}
  // `effort` must outlive it. `of_name`: see is_of_name().
  explicit ConditionContext(Effort& effort, bool of_name = false) : effort_(&effort), of_name_(of_name) {}
  ConditionContext(const ConditionContext&) = delete;
  ConditionContext& operator=(const ConditionContext&) = delete;
  virtual ~ConditionContext() = default;

  // The key's values; nullopt if the request has no such key. Valid as long as the object.
  virtual std::optional<std::span<const std::string_view>> values(const KeyName& name) = 0;

  Effort& effort() { return *effort_; }

  // True if the question is whether anything could be allowed on a resource of that name. A condition on a key of
  // is_of_one_access() is then true for Allow and false for Deny.
  bool is_of_name() const { return of_name_; }

 private:
  Effort own_effort_;
  Effort* effort_;
  bool of_name_ = false;
};

}  // namespace partita::auth
