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
  kUnknown,  // of a key that no request here has
  kLeadingKeys,
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
  // `effort` outlives it.
  explicit Circumstances(Effort& effort) : effort_(&effort) {}
  Circumstances(const Circumstances&) = delete;
  Circumstances& operator=(const Circumstances&) = delete;
  virtual ~Circumstances() = default;

  // The key's values; nothing when the request has no such key. Valid as long as the object is.
  virtual std::optional<std::span<const std::string_view>> values(const KeyName& name) = 0;

  Effort& effort() { return *effort_; }

 private:
  Effort own_effort_;
  Effort* effort_;
};

}  // namespace partita::auth
