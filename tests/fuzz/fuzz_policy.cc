// Policies: whatever is read as one answers every request, and a denial that is added is not passed over.
//
// Input: a line for the action, one for the resource, one for the value that every key has, and a policy.
#include <string>
#include <string_view>

#include "auth/identities.h"
#include "auth/policy.h"
#include "input.h"

namespace partita::fuzz {
namespace {

using auth::Policy;
using auth::PolicyDecision;

class Same final : public auth::ConditionContext {
 public:
  explicit Same(std::string_view value) : value_(value) {}
  std::optional<std::span<const std::string_view>> values(const auth::KeyName& name) override {
    if (name.key == auth::ConditionKey::kUnknown || value_.empty()) return std::nullopt;
    return std::span<const std::string_view>(&value_, 1);
  }

 private:
  std::string_view value_;
};

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::fuzz;
  static const Policy none =
      Policy::parse(R"({"Statement":{"Effect":"Deny","Action":"*","Resource":"*"}})", Policy::Use::kIdentity).value();
  Input in(data, size);
  const std::string_view action = in.line();
  const std::string_view resource = in.line();
  Same same(in.line());
  const partita::auth::Ask ask{action, resource, {"arn:aws:iam::123456789012:user/a", "", "123456789012"}, same};
  for (const auto use : {Policy::Use::kIdentity, Policy::Use::kResource, Policy::Use::kTrust}) {
    const auto policy = Policy::parse(in.rest(), use);
    if (!policy.ok()) continue;
    PARTITA_CHECK(policy->statements() > 0);
    const Policy::Answer answer = policy->judge(ask);
    PARTITA_CHECK(policy->judge(ask).allowed == answer.allowed && policy->judge(ask).denied == answer.denied);
    const Policy* const both[] = {&*policy, &none};
    const PolicyDecision decision = partita::auth::decide({.identity = both}, ask);
    PARTITA_CHECK(decision == PolicyDecision::kDeniedByIdentity);
  }
  static_cast<void>(partita::auth::Identities::parse(in.rest()).ok());
  return 0;
}
