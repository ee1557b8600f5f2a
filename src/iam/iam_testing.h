// For tests: calls on an account in memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "auth/policy.h"
#include "base/clock.h"
#include "engines/memory/memory_engine.h"
#include "iam/calls.h"
#include "iam/directory.h"
#include "model/fault.h"
#include "wire/error_body.h"

namespace partita::iam {

// Evaluates policies as ops does, but without condition keys.
class PlainPolicyChecker final : public PolicyChecker {
 public:
  explicit PlainPolicyChecker(const auth::Identity* who) : who_(who) {}
  Result<void> check(std::string_view action, const Subject& subject) override {
    if (who_ == nullptr) return {};
    const auth::Policy* const trust = subject.trust;
    Nothing nothing;
    const auth::Policies policies{.identity = who_->policies,
                                  .boundary = who_->boundary,
                                  .session = who_->session,
                                  .resource = std::span(&trust, trust == nullptr ? 0 : 1)};
    const auth::Ask ask{
        action, subject.resource, {who_->arn, who_->role, auth::kAccountId, false, unique_id_of(*who_)}, nothing};
    const bool allowed = auth::decide(policies, ask) == auth::PolicyDecision::kAllowed;
    if (allowed && (trust == nullptr || trust->judge(ask).allowed)) return {};
    return model::refuse(model::Fault::kStsNotAuthorized,
                         {who_->arn, std::string(action), std::string(subject.resource)});
  }

 private:
  struct Nothing final : auth::ConditionContext {
    std::optional<std::span<const std::string_view>> values(const auth::KeyName&) override { return std::nullopt; }
  };
  const auth::Identity* who_;
};

// The text between the first <NAME> and its </NAME>; empty if there is none.
inline std::string inside(const std::string& xml, const std::string& name) {
  const size_t begin = xml.find("<" + name + ">");
  if (begin == std::string::npos) return {};
  const size_t from = begin + name.size() + 2;
  return xml.substr(from, xml.find("</" + name + ">", from) - from);
}

// The reply's result, or "CODE: message".
inline std::string ask(Directory& directory, const Clock& clock, const auth::Caller& caller, std::string_view body) {
  const bool sts = body.starts_with("Action=AssumeRole") || body.starts_with("Action=GetSessionToken") ||
                   body.starts_with("Action=GetCallerIdentity");
  const std::string whole = std::string(body) + "&Version=" + (sts ? "2011-06-15" : "2010-05-08");
  const auto told = [](const Error& error) {
    const std::string xml = wire::render_query(error, "", "").body;
    return inside(xml, "Code") + ": " + inside(xml, "Message");
  };
  const auto form = wire::Form::parse(whole);
  if (!form.ok()) return told(form.error());
  const auto call = find_call(*form);
  if (!call.ok()) return told(call.error());
  PlainPolicyChecker judge(caller.identity);
  const auto answer = wait_for(carry_out(directory, **call, *form, caller, clock.now_ms(), judge));
  return answer.ok() ? *answer : told(answer.error());
}

}  // namespace partita::iam
