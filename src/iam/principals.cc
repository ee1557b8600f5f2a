#include "iam/principals.h"

#include <algorithm>
#include <utility>

#include "auth/seal.h"
#include "auth/text_util.h"
#include "iam/parameters.h"
#include "iam/replies.h"
#include "iam/trust.h"
#include "model/fault.h"

namespace partita::iam {

namespace {

using auth::InlinePolicy;
using auth::Policy;
using auth::Principal;
using auth::PrincipalKind;
using model::Fault;
using model::refuse;

constexpr size_t kMostInlinePolicyName = 128;
constexpr size_t kMostAttached = 10;
constexpr size_t kMostTagsOfPrincipal = 50;

// Of what is the same but for capitals there is one.
void erase_tag(Principal& principal, std::string_view key) {
  std::erase_if(principal.tags, [&](const auto& tag) { return same_name(tag.first, key); });
}

Result<std::string> boundary_in(const Request& request) {
  PARTITA_TRY(std::string arn, needed(request, "PermissionsBoundary"));
  if (request.account.find_policy(arn) == nullptr) return refuse(Fault::kIamPolicyNotAttachable, {arn});
  return arn;
}

Result<void> read_role(const Request& request, Principal& role) {
  PARTITA_TRY(role.trust, trust_in(request, "AssumeRolePolicyDocument"));
  role.description = text_or(request, "Description", "");
  PARTITA_TRY(role.max_session_s, number_in(request, "MaxSessionDuration", 3'600, 43'200, 3'600));
  return {};
}

// Of the one that the call is about.
Result<Principal> asked(const Request& request) { return principal_in(request, kind_of(request.call.about)); }

std::vector<InlinePolicy>::iterator find_inline(Principal& principal, std::string_view name) {
  return std::ranges::find(principal.policies, name, &InlinePolicy::name);
}

Error no_inline(const Principal& principal, std::string name) {
  return refuse(Fault::kIamInlineNotFound, {std::string(words_of(principal.kind).word), std::move(name)});
}

// What a deletion waits for; empty: nothing.
std::string_view what_it_has(const Request& request, const Principal& principal) {
  const bool has_members = principal.kind == PrincipalKind::kGroup &&
                           std::ranges::any_of(request.account.of(PrincipalKind::kUser), [&](const auto& user) {
                             return std::ranges::find(user.second->groups, principal.name) != user.second->groups.end();
                           });
  if (has_members || !principal.groups.empty()) return "remove users from group";
  if (!principal.keys.empty()) return "delete access keys";
  if (!principal.attached.empty()) return "detach all policies";
  if (!principal.policies.empty()) return "delete policies";
  return {};
}

}  // namespace

PrincipalKind kind_of(About about) {
  return about == About::kGroup  ? PrincipalKind::kGroup
         : about == About::kRole ? PrincipalKind::kRole
                                 : PrincipalKind::kUser;
}

std::string fresh_id(std::string_view prefix, size_t characters) {
  return std::string(prefix) + auth::secret_text(characters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
}

Result<std::string> principal_name(const Request& request, PrincipalKind kind) {
  const KindWords& words = words_of(kind);
  if (kind == PrincipalKind::kUser && !request.form.find(words.name)) {
    const bool own = request.call.name == "GetUser" || request.call.name == "ListAccessKeys" ||
                     request.call.name == "CreateAccessKey" || request.call.name == "DeleteAccessKey" ||
                     request.call.name == "UpdateAccessKey";
    const auth::Identity* const who = request.caller.identity;
    if (own && who != nullptr && !who->name.empty()) return who->name;
    if (own) return refuse(Fault::kIamNeedsUser);
  }
  return name_in(request, words.name, words.most_name);
}

Result<Principal> principal_in(const Request& request, PrincipalKind kind) {
  PARTITA_TRY(const std::string name, principal_name(request, kind));
  const Principal* const found = request.account.find(kind, name);
  if (found == nullptr) return refuse(Fault::kIamNotFound, {std::string(words_of(kind).word), name});
  return *found;
}

void replace(Request& request, Principal principal) {
  auto& all = request.account.of(principal.kind);
  std::string name = principal.name;
  all.insert_or_assign(std::move(name), std::make_shared<const Principal>(std::move(principal)));
}

Result<void> create_principal(Request& request) {
  const PrincipalKind kind = kind_of(request.call.about);
  const KindWords& words = words_of(kind);
  Principal made;
  made.kind = kind;
  PARTITA_TRY(made.name, name_in(request, words.name, words.most_name));
  PARTITA_TRY(made.path, path_in(request));
  PARTITA_TRY(made.tags, tags_in(request, TagsOf::kPrincipals));
  if (kind == PrincipalKind::kRole) PARTITA_TRY_VOID(read_role(request, made));
  if (request.form.find("PermissionsBoundary")) {
    PARTITA_TRY(made.boundary, boundary_in(request));
  }
  const auto& all = request.account.of(kind);
  if (std::ranges::any_of(all, [&](const auto& one) { return same_name(one.first, made.name); })) {
    return refuse(Fault::kIamExists, {std::string(words.element), made.name});
  }
  if (all.size() >= words.most) {
    return refuse(Fault::kIamLimit, {std::string(words.quota), std::to_string(words.most)});
  }
  made.id = fresh_id(words.id_prefix);
  made.arn = auth::principal_arn(kind, made.path, made.name);
  made.created_ms = request.now_ms;
  request.out.begin(words.element);
  write_principal(request, made, true);
  request.out.end();
  replace(request, std::move(made));
  return {};
}

Result<void> get_principal(Request& request) {
  const PrincipalKind kind = kind_of(request.call.about);
  const bool of_root = kind == PrincipalKind::kUser && !request.form.find("UserName") && !request.caller.identity;
  request.out.begin(words_of(kind).element);
  if (of_root) {
    request.out.text("UserId", auth::kAccountId);
    request.out.text("Arn", "arn:aws:iam::" + std::string(auth::kAccountId) + ":root");
    request.out.text("CreateDate", moment(0));
  } else {
    PARTITA_TRY(const Principal found, asked(request));
    write_principal(request, found, true);
  }
  request.out.end();
  return {};
}

Result<void> delete_principal(Request& request) {
  PARTITA_TRY(const Principal found, asked(request));
  const std::string_view has = what_it_has(request, found);
  if (!has.empty()) return refuse(Fault::kIamStillHas, {std::string(has)});
  request.account.of(found.kind).erase(found.name);
  return {};
}

Result<void> list_principals(Request& request) {
  const PrincipalKind kind = kind_of(request.call.about);
  PARTITA_TRY(const std::string prefix, path_prefix_in(request));
  PARTITA_TRY(Paging paging, Paging::of(request));
  request.out.begin(words_of(kind).list);
  for (const auto& [name, one] : request.account.of(kind)) {
    if (!one->path.starts_with(prefix) || !paging.shows(name)) continue;
    request.out.begin("member");
    write_principal(request, *one, false);
    request.out.end();
  }
  request.out.end();
  paging.write(request);
  return {};
}

Result<void> put_inline_policy(Request& request) {
  PARTITA_TRY(Principal found, asked(request));
  const KindWords& words = words_of(found.kind);
  PARTITA_TRY(std::string name, name_in(request, "PolicyName", kMostInlinePolicyName));
  PARTITA_TRY(std::string document,
              document_in(request, "PolicyDocument", Policy::Use::kIdentity, "PolicySize", words.most_inline));
  std::erase_if(found.policies, [&](const InlinePolicy& one) { return one.name == name; });
  size_t characters = counted(document);
  for (const InlinePolicy& one : found.policies) characters += counted(one.document);
  if (characters > words.most_inline) {
    return refuse(Fault::kIamPolicySize, {std::to_string(words.most_inline), std::string(words.word), found.name});
  }
  found.policies.push_back({std::move(name), std::move(document)});
  std::ranges::sort(found.policies, {}, &InlinePolicy::name);
  replace(request, std::move(found));
  return {};
}

Result<void> get_inline_policy(Request& request) {
  PARTITA_TRY(Principal found, asked(request));
  PARTITA_TRY(const std::string name, name_in(request, "PolicyName", kMostInlinePolicyName));
  const auto policy = find_inline(found, name);
  if (policy == found.policies.end()) return no_inline(found, name);
  request.out.text(words_of(found.kind).name, found.name);
  request.out.text("PolicyName", name);
  request.out.text("PolicyDocument", auth::encode_percent(policy->document));
  return {};
}

Result<void> delete_inline_policy(Request& request) {
  PARTITA_TRY(Principal found, asked(request));
  PARTITA_TRY(const std::string name, name_in(request, "PolicyName", kMostInlinePolicyName));
  const auto policy = find_inline(found, name);
  if (policy == found.policies.end()) return no_inline(found, name);
  found.policies.erase(policy);
  replace(request, std::move(found));
  return {};
}

Result<void> list_inline_policies(Request& request) {
  PARTITA_TRY(const Principal found, asked(request));
  PARTITA_TRY(Paging paging, Paging::of(request));
  request.out.begin("PolicyNames");
  for (const InlinePolicy& one : found.policies) {
    if (paging.shows(one.name)) request.out.text("member", one.name);
  }
  request.out.end();
  paging.write(request);
  return {};
}

Result<void> attach_policy(Request& request) {
  PARTITA_TRY(Principal found, asked(request));
  PARTITA_TRY(std::string arn, needed(request, "PolicyArn"));
  if (request.account.find_policy(arn) == nullptr) return refuse(Fault::kIamPolicyNotAttachable, {arn});
  if (std::ranges::find(found.attached, arn) != found.attached.end()) return {};
  if (found.attached.size() >= kMostAttached) {
    return refuse(Fault::kIamLimit,
                  {"PoliciesPer" + std::string(words_of(found.kind).element), std::to_string(kMostAttached)});
  }
  found.attached.push_back(std::move(arn));
  std::ranges::sort(found.attached);
  replace(request, std::move(found));
  return {};
}

Result<void> detach_policy(Request& request) {
  PARTITA_TRY(Principal found, asked(request));
  PARTITA_TRY(const std::string arn, needed(request, "PolicyArn"));
  if (std::erase(found.attached, arn) == 0) return refuse(Fault::kIamPolicyNotFound, {arn});
  replace(request, std::move(found));
  return {};
}

Result<void> list_attached_policies(Request& request) {
  PARTITA_TRY(const Principal found, asked(request));
  PARTITA_TRY(Paging paging, Paging::of(request));
  request.out.begin("AttachedPolicies");
  for (const std::string& arn : found.attached) {
    if (paging.shows(arn)) write_attached(request.out, arn);
  }
  request.out.end();
  paging.write(request);
  return {};
}

Result<void> put_boundary(Request& request) {
  PARTITA_TRY(Principal found, asked(request));
  PARTITA_TRY(found.boundary, boundary_in(request));
  replace(request, std::move(found));
  return {};
}

Result<void> delete_boundary(Request& request) {
  PARTITA_TRY(Principal found, asked(request));
  if (found.boundary.empty()) {
    return refuse(Fault::kIamBoundaryNotFound, {std::string(words_of(found.kind).word), found.name});
  }
  found.boundary.clear();
  replace(request, std::move(found));
  return {};
}

Result<void> tag_principal(Request& request) {
  PARTITA_TRY(Principal found, asked(request));
  PARTITA_TRY(auto tags, tags_in(request, TagsOf::kPrincipals));
  if (tags.empty()) PARTITA_TRY_VOID(needed(request, "Tags"));
  for (const auto& [key, value] : tags) erase_tag(found, key);
  found.tags.merge(tags);
  if (found.tags.size() > kMostTagsOfPrincipal)
    return refuse(Fault::kIamLimit, {"TagsPerResource", std::to_string(kMostTagsOfPrincipal)});
  replace(request, std::move(found));
  return {};
}

Result<void> untag_principal(Request& request) {
  PARTITA_TRY(Principal found, asked(request));
  PARTITA_TRY(const std::vector<std::string> keys, list_in(request, "TagKeys"));
  for (const std::string& key : keys) erase_tag(found, key);
  replace(request, std::move(found));
  return {};
}

Result<void> list_principal_tags(Request& request) {
  PARTITA_TRY(const Principal found, asked(request));
  write_tags(request.out, found.tags);
  request.out.boolean("IsTruncated", false);
  return {};
}

Result<void> update_trust(Request& request) {
  PARTITA_TRY(Principal found, asked(request));
  PARTITA_TRY(found.trust, trust_in(request, "PolicyDocument"));
  replace(request, std::move(found));
  return {};
}

}  // namespace partita::iam
