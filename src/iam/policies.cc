// Managed policies and their versions, and the whole account at once.
#include <algorithm>
#include <charconv>
#include <utility>

#include "auth/text_util.h"
#include "iam/parameters.h"
#include "iam/principals.h"
#include "iam/replies.h"
#include "model/fault.h"

namespace partita::iam {

namespace {

using auth::ManagedPolicy;
using auth::Policy;
using auth::PolicyVersion;
using auth::Principal;
using auth::PrincipalKind;
using model::Fault;
using model::refuse;

constexpr size_t kMostPolicyName = 128;
constexpr size_t kMostPolicies = 1'500;
constexpr size_t kMostVersions = 5;
constexpr size_t kMostCharacters = 6'144;

struct Uses {
  size_t attachments = 0;
  size_t boundaries = 0;
};

Uses uses_of(const Request& request, std::string_view arn) {
  Uses uses;
  for (const auto& kind : request.account.principals) {
    for (const auto& [name, one] : kind) {
      uses.attachments += static_cast<size_t>(std::ranges::count(one->attached, arn));
      uses.boundaries += one->boundary == arn ? 1 : 0;
    }
  }
  return uses;
}

void write_one(Request& request, std::string_view element, const ManagedPolicy& policy) {
  const Uses uses = uses_of(request, policy.arn);
  request.out.begin(element);
  write_policy(request.out, policy, uses.attachments, uses.boundaries);
  request.out.end();
}

Result<ManagedPolicy> policy_in(const Request& request) {
  PARTITA_TRY(const std::string arn, needed(request, "PolicyArn"));
  const ManagedPolicy* const found = request.account.find_policy(arn);
  if (found == nullptr) return refuse(Fault::kIamPolicyNotFound, {arn});
  return *found;
}

// The same to be changed.
Result<ManagedPolicy> own_policy_in(const Request& request) {
  PARTITA_TRY(ManagedPolicy policy, policy_in(request));
  if (!request.account.policies.contains(policy.arn)) return refuse(Fault::kIamPolicyOfAws);
  return policy;
}

void replace(Request& request, ManagedPolicy policy) {
  std::string arn = policy.arn;
  request.account.policies.insert_or_assign(std::move(arn), std::make_shared<const ManagedPolicy>(std::move(policy)));
}

Result<std::string> document_of(const Request& request) {
  return document_in(request, "PolicyDocument", Policy::Use::kIdentity, "PolicySize", kMostCharacters);
}

Result<PolicyVersion> version_in(const Request& request, const ManagedPolicy& policy) {
  PARTITA_TRY_VOID(needed(request, "VersionId"));
  const std::string_view text = *request.form.find("VersionId");
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const bool numbered = text.starts_with('v') && std::from_chars(text.data() + 1, end, number).ptr == end;
  const PolicyVersion* const found = numbered ? policy.version(number) : nullptr;
  if (found == nullptr) return refuse(Fault::kIamVersionNotFound, {policy.arn, std::string(text)});
  return *found;
}

template <class Each>
void write_list(wire::XmlWriter& out, std::string_view name, const auto& list, Each each) {
  if (list.empty()) return;
  out.begin(name);
  for (const auto& one : list) each(one);
  out.end();
}

void write_detail(Request& request, const Principal& principal) {
  wire::XmlWriter& out = request.out;
  out.begin("member");
  write_principal(request, principal, true);
  write_list(out, words_of(principal.kind).inlines, principal.policies, [&](const auth::InlinePolicy& policy) {
    out.begin("member");
    out.text("PolicyName", policy.name);
    out.text("PolicyDocument", auth::encode_percent(policy.document));
    out.end();
  });
  write_list(out, "AttachedManagedPolicies", principal.attached,
             [&](const std::string& arn) { write_attached(out, arn); });
  write_list(out, "GroupList", principal.groups, [&](const std::string& name) { out.text("member", name); });
  out.end();
}

}  // namespace

Result<void> create_policy(Request& request) {
  ManagedPolicy made;
  PARTITA_TRY(made.name, name_in(request, "PolicyName", kMostPolicyName));
  PARTITA_TRY(made.path, path_in(request));
  PARTITA_TRY(std::string document, document_of(request));
  PARTITA_TRY(made.tags, tags_in(request, TagsOf::kPolicies));
  made.description = text_or(request, "Description", "");
  const auto& all = request.account.policies;
  if (std::ranges::any_of(all, [&](const auto& one) { return same_name(one.second->name, made.name); })) {
    return refuse(Fault::kIamPolicyExists, {made.name});
  }
  if (all.size() >= kMostPolicies) {
    return refuse(Fault::kIamLimit, {"PoliciesPerAccount", std::to_string(kMostPolicies)});
  }
  made.id = fresh_id("ANPA");
  made.arn = auth::policy_arn(made.path, made.name);
  made.created_ms = made.updated_ms = request.now_ms;
  made.versions.push_back({1, std::move(document), request.now_ms});
  write_one(request, "Policy", made);
  replace(request, std::move(made));
  return {};
}

Result<void> get_policy(Request& request) {
  PARTITA_TRY(const ManagedPolicy policy, policy_in(request));
  write_one(request, "Policy", policy);
  return {};
}

Result<void> delete_policy(Request& request) {
  PARTITA_TRY(const ManagedPolicy policy, own_policy_in(request));
  const Uses uses = uses_of(request, policy.arn);
  if (uses.attachments + uses.boundaries > 0) return refuse(Fault::kIamPolicyAttached);
  if (policy.versions.size() > 1) return refuse(Fault::kIamPolicyHasVersions);
  request.account.policies.erase(policy.arn);
  return {};
}

Result<void> list_policies(Request& request) {
  const std::string scope = text_or(request, "Scope", "All");
  if (scope != "All" && scope != "AWS" && scope != "Local") {
    return invalid("1 validation error detected: Value '" + scope +
                   "' at 'scope' failed to satisfy constraint: Member must satisfy enum value set: [AWS, Local, All]");
  }
  PARTITA_TRY(const bool attached, flag_in(request, "OnlyAttached"));
  PARTITA_TRY(const std::string prefix, path_prefix_in(request));
  PARTITA_TRY(Paging paging, Paging::of(request));
  auth::Account::Named<ManagedPolicy> all;
  if (scope != "Local") all = auth::policies_of_aws();
  if (scope != "AWS") all.insert(request.account.policies.begin(), request.account.policies.end());
  request.out.begin("Policies");
  for (const auto& [arn, policy] : all) {
    if (!policy->path.starts_with(prefix) || (attached && uses_of(request, arn).attachments == 0)) continue;
    if (paging.shows(arn)) write_one(request, "member", *policy);
  }
  request.out.end();
  paging.write(request);
  return {};
}

Result<void> create_policy_version(Request& request) {
  PARTITA_TRY(ManagedPolicy policy, own_policy_in(request));
  PARTITA_TRY(std::string document, document_of(request));
  PARTITA_TRY(const bool is_default, flag_in(request, "SetAsDefault"));
  if (policy.versions.size() >= kMostVersions) return refuse(Fault::kIamManyVersions);
  policy.versions.push_back({++policy.last_version, std::move(document), request.now_ms});
  if (is_default) policy.default_version = policy.last_version;
  policy.updated_ms = request.now_ms;
  write_version(request.out, "PolicyVersion", policy, policy.versions.back(), false);
  replace(request, std::move(policy));
  return {};
}

Result<void> get_policy_version(Request& request) {
  PARTITA_TRY(const ManagedPolicy policy, policy_in(request));
  PARTITA_TRY(const PolicyVersion version, version_in(request, policy));
  write_version(request.out, "PolicyVersion", policy, version, true);
  return {};
}

Result<void> delete_policy_version(Request& request) {
  PARTITA_TRY(ManagedPolicy policy, own_policy_in(request));
  PARTITA_TRY(const PolicyVersion version, version_in(request, policy));
  if (version.number == policy.default_version) return refuse(Fault::kIamDefaultVersion);
  std::erase_if(policy.versions, [&](const PolicyVersion& one) { return one.number == version.number; });
  replace(request, std::move(policy));
  return {};
}

Result<void> list_policy_versions(Request& request) {
  PARTITA_TRY(const ManagedPolicy policy, policy_in(request));
  request.out.begin("Versions");
  for (auto one = policy.versions.rbegin(); one != policy.versions.rend(); ++one) {
    write_version(request.out, "member", policy, *one, false);
  }
  request.out.end();
  request.out.boolean("IsTruncated", false);
  return {};
}

Result<void> set_default_policy_version(Request& request) {
  PARTITA_TRY(ManagedPolicy policy, own_policy_in(request));
  PARTITA_TRY(const PolicyVersion version, version_in(request, policy));
  policy.default_version = version.number;
  policy.updated_ms = request.now_ms;
  replace(request, std::move(policy));
  return {};
}

Result<void> get_account_authorization_details(Request& request) {
  wire::XmlWriter& out = request.out;
  const auto details = [&](std::string_view list, PrincipalKind kind) {
    out.begin(list);
    for (const auto& [name, one] : request.account.of(kind)) write_detail(request, *one);
    out.end();
  };
  details("UserDetailList", PrincipalKind::kUser);
  details("GroupDetailList", PrincipalKind::kGroup);
  details("RoleDetailList", PrincipalKind::kRole);
  out.begin("Policies");
  for (const auto& [arn, policy] : request.account.policies) {
    const Uses uses = uses_of(request, arn);
    out.begin("member");
    write_policy(out, *policy, uses.attachments, uses.boundaries);
    out.begin("PolicyVersionList");
    for (const PolicyVersion& version : policy->versions) write_version(out, "member", *policy, version, true);
    out.end();
    out.end();
  }
  out.end();
  out.boolean("IsTruncated", false);
  return {};
}

}  // namespace partita::iam
