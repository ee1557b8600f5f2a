#include "iam/calls.h"

#include <algorithm>
#include <array>
#include <utility>

#include "iam/parameters.h"
#include "iam/principals.h"
#include "iam/replies.h"
#include "iam/request.h"
#include "model/fault.h"

namespace partita::iam {

namespace {

using auth::PrincipalKind;
using model::Fault;
using model::refuse;

// clang-format off
constexpr std::array kCalls = {
    CallRow{"AddUserToGroup", "iam:AddUserToGroup", "GroupName UserName", add_user_to_group, About::kGroup, Api::kIam, true},
    CallRow{"AssumeRole", "", "RoleArn RoleSessionName Policy DurationSeconds", assume_role, About::kEverything, Api::kSts, false},
    CallRow{"AttachGroupPolicy", "iam:AttachGroupPolicy", "GroupName PolicyArn", attach_policy, About::kGroup, Api::kIam, true},
    CallRow{"AttachRolePolicy", "iam:AttachRolePolicy", "RoleName PolicyArn", attach_policy, About::kRole, Api::kIam, true},
    CallRow{"AttachUserPolicy", "iam:AttachUserPolicy", "UserName PolicyArn", attach_policy, About::kUser, Api::kIam, true},
    CallRow{"CreateAccessKey", "iam:CreateAccessKey", "UserName", create_access_key, About::kUser, Api::kIam, true},
    CallRow{"CreateGroup", "iam:CreateGroup", "GroupName Path", create_principal, About::kGroup, Api::kIam, true},
    CallRow{"CreatePolicy", "iam:CreatePolicy", "PolicyName PolicyDocument Path Description Tags.", create_policy, About::kPolicy, Api::kIam, true},
    CallRow{"CreatePolicyVersion", "iam:CreatePolicyVersion", "PolicyArn PolicyDocument SetAsDefault", create_policy_version, About::kPolicy, Api::kIam, true},
    CallRow{"CreateRole", "iam:CreateRole", "RoleName Path AssumeRolePolicyDocument Description MaxSessionDuration PermissionsBoundary Tags.", create_principal, About::kRole, Api::kIam, true},
    CallRow{"CreateUser", "iam:CreateUser", "UserName Path PermissionsBoundary Tags.", create_principal, About::kUser, Api::kIam, true},
    CallRow{"DeleteAccessKey", "iam:DeleteAccessKey", "UserName AccessKeyId", delete_access_key, About::kUser, Api::kIam, true},
    CallRow{"DeleteGroup", "iam:DeleteGroup", "GroupName", delete_principal, About::kGroup, Api::kIam, true},
    CallRow{"DeleteGroupPolicy", "iam:DeleteGroupPolicy", "GroupName PolicyName", delete_inline_policy, About::kGroup, Api::kIam, true},
    CallRow{"DeletePolicy", "iam:DeletePolicy", "PolicyArn", delete_policy, About::kPolicy, Api::kIam, true},
    CallRow{"DeletePolicyVersion", "iam:DeletePolicyVersion", "PolicyArn VersionId", delete_policy_version, About::kPolicy, Api::kIam, true},
    CallRow{"DeleteRole", "iam:DeleteRole", "RoleName", delete_principal, About::kRole, Api::kIam, true},
    CallRow{"DeleteRolePermissionsBoundary", "iam:DeleteRolePermissionsBoundary", "RoleName", delete_boundary, About::kRole, Api::kIam, true},
    CallRow{"DeleteRolePolicy", "iam:DeleteRolePolicy", "RoleName PolicyName", delete_inline_policy, About::kRole, Api::kIam, true},
    CallRow{"DeleteUser", "iam:DeleteUser", "UserName", delete_principal, About::kUser, Api::kIam, true},
    CallRow{"DeleteUserPermissionsBoundary", "iam:DeleteUserPermissionsBoundary", "UserName", delete_boundary, About::kUser, Api::kIam, true},
    CallRow{"DeleteUserPolicy", "iam:DeleteUserPolicy", "UserName PolicyName", delete_inline_policy, About::kUser, Api::kIam, true},
    CallRow{"DetachGroupPolicy", "iam:DetachGroupPolicy", "GroupName PolicyArn", detach_policy, About::kGroup, Api::kIam, true},
    CallRow{"DetachRolePolicy", "iam:DetachRolePolicy", "RoleName PolicyArn", detach_policy, About::kRole, Api::kIam, true},
    CallRow{"DetachUserPolicy", "iam:DetachUserPolicy", "UserName PolicyArn", detach_policy, About::kUser, Api::kIam, true},
    CallRow{"GetAccountAuthorizationDetails", "iam:GetAccountAuthorizationDetails", "", get_account_authorization_details, About::kEverything, Api::kIam, false},
    CallRow{"GetCallerIdentity", "", "", get_caller_identity, About::kEverything, Api::kSts, false},
    CallRow{"GetGroup", "iam:GetGroup", "GroupName MaxItems Marker", get_group, About::kGroup, Api::kIam, false},
    CallRow{"GetGroupPolicy", "iam:GetGroupPolicy", "GroupName PolicyName", get_inline_policy, About::kGroup, Api::kIam, false},
    CallRow{"GetPolicy", "iam:GetPolicy", "PolicyArn", get_policy, About::kPolicy, Api::kIam, false},
    CallRow{"GetPolicyVersion", "iam:GetPolicyVersion", "PolicyArn VersionId", get_policy_version, About::kPolicy, Api::kIam, false},
    CallRow{"GetRole", "iam:GetRole", "RoleName", get_principal, About::kRole, Api::kIam, false},
    CallRow{"GetRolePolicy", "iam:GetRolePolicy", "RoleName PolicyName", get_inline_policy, About::kRole, Api::kIam, false},
    CallRow{"GetSessionToken", "", "DurationSeconds", get_session_token, About::kEverything, Api::kSts, false},
    CallRow{"GetUser", "iam:GetUser", "UserName", get_principal, About::kUser, Api::kIam, false},
    CallRow{"GetUserPolicy", "iam:GetUserPolicy", "UserName PolicyName", get_inline_policy, About::kUser, Api::kIam, false},
    CallRow{"ListAccessKeys", "iam:ListAccessKeys", "UserName", list_access_keys, About::kUser, Api::kIam, false},
    CallRow{"ListAttachedGroupPolicies", "iam:ListAttachedGroupPolicies", "GroupName MaxItems Marker", list_attached_policies, About::kGroup, Api::kIam, false},
    CallRow{"ListAttachedRolePolicies", "iam:ListAttachedRolePolicies", "RoleName MaxItems Marker", list_attached_policies, About::kRole, Api::kIam, false},
    CallRow{"ListAttachedUserPolicies", "iam:ListAttachedUserPolicies", "UserName MaxItems Marker", list_attached_policies, About::kUser, Api::kIam, false},
    CallRow{"ListGroupPolicies", "iam:ListGroupPolicies", "GroupName MaxItems Marker", list_inline_policies, About::kGroup, Api::kIam, false},
    CallRow{"ListGroups", "iam:ListGroups", "PathPrefix MaxItems Marker", list_principals, About::kGroup, Api::kIam, false},
    CallRow{"ListGroupsForUser", "iam:ListGroupsForUser", "UserName MaxItems Marker", list_groups_for_user, About::kUser, Api::kIam, false},
    CallRow{"ListPolicies", "iam:ListPolicies", "Scope OnlyAttached PathPrefix MaxItems Marker", list_policies, About::kEverything, Api::kIam, false},
    CallRow{"ListPolicyVersions", "iam:ListPolicyVersions", "PolicyArn", list_policy_versions, About::kPolicy, Api::kIam, false},
    CallRow{"ListRolePolicies", "iam:ListRolePolicies", "RoleName MaxItems Marker", list_inline_policies, About::kRole, Api::kIam, false},
    CallRow{"ListRoleTags", "iam:ListRoleTags", "RoleName", list_principal_tags, About::kRole, Api::kIam, false},
    CallRow{"ListRoles", "iam:ListRoles", "PathPrefix MaxItems Marker", list_principals, About::kRole, Api::kIam, false},
    CallRow{"ListUserPolicies", "iam:ListUserPolicies", "UserName MaxItems Marker", list_inline_policies, About::kUser, Api::kIam, false},
    CallRow{"ListUserTags", "iam:ListUserTags", "UserName", list_principal_tags, About::kUser, Api::kIam, false},
    CallRow{"ListUsers", "iam:ListUsers", "PathPrefix MaxItems Marker", list_principals, About::kUser, Api::kIam, false},
    CallRow{"PutGroupPolicy", "iam:PutGroupPolicy", "GroupName PolicyName PolicyDocument", put_inline_policy, About::kGroup, Api::kIam, true},
    CallRow{"PutRolePermissionsBoundary", "iam:PutRolePermissionsBoundary", "RoleName PermissionsBoundary", put_boundary, About::kRole, Api::kIam, true},
    CallRow{"PutRolePolicy", "iam:PutRolePolicy", "RoleName PolicyName PolicyDocument", put_inline_policy, About::kRole, Api::kIam, true},
    CallRow{"PutUserPermissionsBoundary", "iam:PutUserPermissionsBoundary", "UserName PermissionsBoundary", put_boundary, About::kUser, Api::kIam, true},
    CallRow{"PutUserPolicy", "iam:PutUserPolicy", "UserName PolicyName PolicyDocument", put_inline_policy, About::kUser, Api::kIam, true},
    CallRow{"RemoveUserFromGroup", "iam:RemoveUserFromGroup", "GroupName UserName", remove_user_from_group, About::kGroup, Api::kIam, true},
    CallRow{"SetDefaultPolicyVersion", "iam:SetDefaultPolicyVersion", "PolicyArn VersionId", set_default_policy_version, About::kPolicy, Api::kIam, true},
    CallRow{"TagRole", "iam:TagRole", "RoleName Tags.", tag_principal, About::kRole, Api::kIam, true},
    CallRow{"TagUser", "iam:TagUser", "UserName Tags.", tag_principal, About::kUser, Api::kIam, true},
    CallRow{"UntagRole", "iam:UntagRole", "RoleName TagKeys.", untag_principal, About::kRole, Api::kIam, true},
    CallRow{"UntagUser", "iam:UntagUser", "UserName TagKeys.", untag_principal, About::kUser, Api::kIam, true},
    CallRow{"UpdateAccessKey", "iam:UpdateAccessKey", "UserName AccessKeyId Status", update_access_key, About::kUser, Api::kIam, true},
    CallRow{"UpdateAssumeRolePolicy", "iam:UpdateAssumeRolePolicy", "RoleName PolicyDocument", update_trust, About::kRole, Api::kIam, true},
};
// clang-format on
static_assert(std::ranges::is_sorted(kCalls, {}, &CallRow::name));

struct ApiName {
  Api api;
  std::string_view version;
  std::string_view space;
};
constexpr std::array kApis = {ApiName{Api::kIam, "2010-05-08", "https://iam.amazonaws.com/doc/2010-05-08/"},
                              ApiName{Api::kSts, "2011-06-15", "https://sts.amazonaws.com/doc/2011-06-15/"}};

bool takes(const CallRow& call, std::string_view parameter) {
  bool found = parameter == "Action" || parameter == "Version";
  std::string_view rest = call.parameters;
  while (!found && !rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    found = one.ends_with('.') ? parameter.starts_with(one) : parameter == one;
  }
  return found;
}

Result<void> check_parameters(const CallRow& call, const wire::Form& form) {
  for (const auto& [name, value] : form.parameters()) {
    if (takes(call, name)) continue;
    return invalid("The parameter " + name + " of " + std::string(call.name) + " is not supported here.");
  }
  return {};
}

std::string name_about(const Request& request, PrincipalKind kind) {
  std::string name = text_or(request, words_of(kind).name, "");
  const auth::Identity* const who = request.caller.identity;
  if (name.empty() && kind == PrincipalKind::kUser && who != nullptr) name = who->name;
  return name;
}

bool creates(const CallRow& call) { return call.run == create_principal || call.run == create_policy; }

// Null when it is not there, and of calls that are about none that is there already.
const auth::Principal* principal_about(const Request& request) {
  if (request.call.about == About::kEverything || request.call.about == About::kPolicy) return nullptr;
  if (creates(request.call) || request.call.run == list_principals) return nullptr;
  const PrincipalKind kind = kind_of(request.call.about);
  return request.account.find(kind, name_about(request, kind));
}

// What policies are asked about. What is not there has the ARN that it would have; a list, that of what it is of.
std::string resource_of(const Request& request) {
  if (request.call.about == About::kEverything) return "*";
  const std::string path = creates(request.call) ? text_or(request, "Path", "/") : "/";
  if (request.call.about == About::kPolicy) {
    const std::string made = auth::policy_arn(path, text_or(request, "PolicyName", ""));
    return creates(request.call) ? made : text_or(request, "PolicyArn", made);
  }
  const PrincipalKind kind = kind_of(request.call.about);
  if (request.call.run == list_principals) return auth::principal_arn(kind, text_or(request, "PathPrefix", "/"), "");
  if (const auth::Principal* const found = principal_about(request)) return found->arn;
  return auth::principal_arn(kind, path, name_about(request, kind));
}

// The same with the capitals of the call, so that a refusal does not tell that there is somebody of another spelling.
std::string as_spelt(const Request& request, const std::string& resource) {
  const auth::Principal* const found = principal_about(request);
  if (found == nullptr) return resource;
  return resource.substr(0, resource.size() - found->name.size()) + name_about(request, found->kind);
}

const std::map<std::string, std::string>* tags_of(const Request& request, const std::string& resource) {
  if (request.call.about == About::kPolicy) {
    if (creates(request.call)) return nullptr;
    const auth::ManagedPolicy* const found = request.account.find_policy(resource);
    return found == nullptr ? nullptr : &found->tags;
  }
  const auth::Principal* const found = principal_about(request);
  return found == nullptr ? nullptr : &found->tags;
}

// `resource` outlives it.
Subject subject_of(const Request& request, const std::string& resource) {
  Subject subject{.resource = resource, .tags = tags_of(request, resource)};
  for (const auto& [name, value] : request.form.parameters()) {
    if (name.starts_with("TagKeys.")) subject.tag_keys.push_back(value);
    if (!name.starts_with("Tags.") || !name.ends_with(".Key")) continue;
    subject.tag_keys.push_back(value);
    const std::string_view prefix = std::string_view(name).substr(0, name.size() - 3);
    subject.given.emplace(value, text_or(request, std::string(prefix) + "Value", ""));
  }
  if (request.call.about == About::kPolicy) return subject;
  subject.policy = request.form.find("PolicyArn");
  subject.boundary = request.form.find("PermissionsBoundary");
  const auth::Principal* const found = principal_about(request);
  if (!subject.boundary && found != nullptr && !found->boundary.empty()) subject.boundary = found->boundary;
  return subject;
}

// Credentials for a while that are no role's may not: IAM asks for a second factor, which there is none of here.
Result<void> check_caller(const CallRow& call, const auth::Caller& caller) {
  const bool of_role = caller.identity != nullptr && !caller.identity->role.empty();
  if (call.api != Api::kIam || of_role || !caller.temporary) return {};
  return refuse(Fault::kUnrecognizedClient, {"The security token included in the request is invalid"});
}

// What is created with tags is tagged too, for which a boundary does not count: "Actions defined by AWS Identity and
// Access Management" in the Service Authorization Reference.
Result<void> check_tagging(const Request& request, Subject subject) {
  subject.boundary.reset();
  const bool of_policy = request.call.about == About::kPolicy;
  const std::string_view what = of_policy ? "Policy" : words_of(kind_of(request.call.about)).element;
  return request.judge.check("iam:Tag" + std::string(what), subject);
}

Result<void> run(Request& request) {
  PARTITA_TRY_VOID(check_caller(request.call, request.caller));
  if (!request.call.action.empty()) {
    const std::string resource = resource_of(request);
    const std::string named = as_spelt(request, resource);
    Subject subject = subject_of(request, resource);
    subject.named = named;
    PARTITA_TRY_VOID(request.judge.check(request.call.action, subject));
    if (creates(request.call) && !subject.given.empty()) PARTITA_TRY_VOID(check_tagging(request, subject));
  }
  PARTITA_TRY_VOID(check_parameters(request.call, request.form));
  return request.call.run(request);
}

}  // namespace

std::span<const CallRow> calls() { return kCalls; }

std::string_view space_of(Api api) { return kApis[static_cast<size_t>(api)].space; }

Api api_of(const wire::Form& form) {
  return form.find("Version") == kApis[static_cast<size_t>(Api::kSts)].version ? Api::kSts : Api::kIam;
}

Result<const CallRow*> find_call(const wire::Form& form) {
  const auto action = form.find("Action");
  if (!action) return refuse(Fault::kIamNoAction);
  const std::string_view version = form.find("Version").value_or("");
  const auto* const found = std::ranges::lower_bound(kCalls, *action, {}, &CallRow::name);
  if (found == kCalls.end() || found->name != *action || kApis[static_cast<size_t>(found->api)].version != version) {
    return refuse(Fault::kIamUnknownAction, {std::string(*action), std::string(version)});
  }
  return found;
}

namespace {

Task<Result<std::string>> carry_out_here(Directory& directory, const CallRow& call, const wire::Form& form,
                                         const auth::Caller& caller, int64_t now_ms, PolicyChecker& judge) {
  constexpr int kTries = 16;
  for (int i = 0; i < kTries; ++i) {
    PARTITA_CO_TRY_VOID(co_await directory.look_again());
    const KnownRef known = directory.known();
    auth::Account account = known->account;
    wire::XmlWriter out;
    Request request{call, form, caller, *known, now_ms, judge, account, out};
    PARTITA_CO_TRY_VOID(run(request));
    if (call.writes && directory.is_of_file()) co_return refuse(Fault::kIamOfFile);
    PARTITA_CO_TRY(const bool done, co_await directory.commit(known, account));
    if (done) co_return std::move(out).take();
  }
  co_return Error(ErrorKind::kConflict, "users, groups, roles and policies are changed all the time");
}

}  // namespace

Task<Result<std::string>> carry_out(Directory& directory, const CallRow& call, const wire::Form& form,
                                    const auth::Caller& caller, int64_t now_ms, PolicyChecker& judge) {
  AsyncMutex::Guard turn(directory.writers());
  if (call.writes) co_await turn;
  Executor* const home = Executor::current();
  co_await directory.aside().enter();
  auto answered = co_await carry_out_here(directory, call, form, caller, now_ms, judge);
  co_await SwitchTo{home};
  co_return answered;
}

}  // namespace partita::iam
