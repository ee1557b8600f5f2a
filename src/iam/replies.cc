#include "iam/replies.h"

#include <array>

#include "auth/text_util.h"
#include "base/clock.h"
#include "iam/trust.h"

namespace partita::iam {

using auth::ManagedPolicy;
using auth::Principal;
using auth::PrincipalKind;
using wire::XmlWriter;

// "IAM and AWS STS quotas" in IAM's user guide.
const KindWords& words_of(PrincipalKind kind) {
  static constexpr std::array<KindWords, auth::kPrincipalKinds> kWords{
      KindWords{"User", "user", "Users", "UserName", "UserId", "AIDA", "UserPolicyList", 64, 5'000, "UsersPerAccount",
                2'048},
      KindWords{"Group", "group", "Groups", "GroupName", "GroupId", "AGPA", "GroupPolicyList", 128, 300,
                "GroupsPerAccount", 5'120},
      KindWords{"Role", "role", "Roles", "RoleName", "RoleId", "AROA", "RolePolicyList", 64, 1'000, "RolesPerAccount",
                10'240}};
  return kWords[static_cast<size_t>(kind)];
}

std::string moment(int64_t ms) { return std::string(utc_text(ms).data()).substr(0, 19) + "Z"; }

void write_tags(XmlWriter& out, const std::map<std::string, std::string>& tags) {
  out.begin("Tags");
  for (const auto& [key, value] : tags) {
    out.begin("member");
    out.text("Key", key);
    out.text("Value", value);
    out.end();
  }
  out.end();
}

void write_attached(XmlWriter& out, std::string_view arn) {
  out.begin("member");
  out.text("PolicyName", arn.substr(arn.rfind('/') + 1));
  out.text("PolicyArn", arn);
  out.end();
}

void write_principal(Request& request, const Principal& principal, bool whole) {
  XmlWriter& out = request.out;
  const KindWords& words = words_of(principal.kind);
  out.text("Path", principal.path);
  out.text(words.name, principal.name);
  out.text(words.id, principal.id);
  out.text("Arn", principal.arn);
  out.text("CreateDate", moment(principal.created_ms));
  if (principal.kind == PrincipalKind::kRole) {
    out.text("AssumeRolePolicyDocument", auth::encode_percent(shown_policy(request.account, principal.trust)));
    if (!principal.description.empty()) out.text("Description", principal.description);
    out.number("MaxSessionDuration", principal.max_session_s);
  }
  if (!whole) return;
  if (!principal.boundary.empty()) {
    out.begin("PermissionsBoundary");
    out.text("PermissionsBoundaryType", "Policy");
    out.text("PermissionsBoundaryArn", principal.boundary);
    out.end();
  }
  if (!principal.tags.empty()) write_tags(out, principal.tags);
}

void write_policy(XmlWriter& out, const ManagedPolicy& policy, size_t attachments, size_t boundaries) {
  out.text("PolicyName", policy.name);
  out.text("PolicyId", policy.id);
  out.text("Arn", policy.arn);
  out.text("Path", policy.path);
  out.text("DefaultVersionId", "v" + std::to_string(policy.default_version));
  out.number("AttachmentCount", static_cast<int64_t>(attachments));
  out.number("PermissionsBoundaryUsageCount", static_cast<int64_t>(boundaries));
  out.boolean("IsAttachable", true);
  if (!policy.description.empty()) out.text("Description", policy.description);
  out.text("CreateDate", moment(policy.created_ms));
  out.text("UpdateDate", moment(policy.updated_ms));
  if (!policy.tags.empty()) write_tags(out, policy.tags);
}

void write_version(XmlWriter& out, std::string_view element, const ManagedPolicy& policy,
                   const auth::PolicyVersion& version, bool with_document) {
  out.begin(element);
  if (with_document) out.text("Document", auth::encode_percent(version.document));
  out.text("VersionId", "v" + std::to_string(version.number));
  out.boolean("IsDefaultVersion", version.number == policy.default_version);
  out.text("CreateDate", moment(version.created_ms));
  out.end();
}

}  // namespace partita::iam
