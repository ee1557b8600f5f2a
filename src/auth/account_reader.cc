#include <simdjson.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "auth/account.h"
#include "base/log.h"

namespace partita::auth {

namespace {

namespace dom = simdjson::dom;

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 6> kOfFile{"UserDetailList", "GroupDetailList", "RoleDetailList",
                                                  "Policies",       "IsTruncated",     "Marker"};
constexpr std::array<std::string_view, 11> kOfUser{"UserName",
                                                   "Path",
                                                   "UserId",
                                                   "Arn",
                                                   "CreateDate",
                                                   "GroupList",
                                                   "UserPolicyList",
                                                   "AttachedManagedPolicies",
                                                   "PermissionsBoundary",
                                                   "Tags",
                                                   "AccessKeys"};
constexpr std::array<std::string_view, 7> kOfGroup{
    "GroupName", "Path", "GroupId", "Arn", "CreateDate", "GroupPolicyList", "AttachedManagedPolicies"};
constexpr std::array<std::string_view, 14> kOfRole{"RoleName",
                                                   "Path",
                                                   "RoleId",
                                                   "Arn",
                                                   "CreateDate",
                                                   "AssumeRolePolicyDocument",
                                                   "InstanceProfileList",
                                                   "RolePolicyList",
                                                   "AttachedManagedPolicies",
                                                   "PermissionsBoundary",
                                                   "Tags",
                                                   "RoleLastUsed",
                                                   "Description",
                                                   "MaxSessionDuration"};
constexpr std::array<std::string_view, 14> kOfPolicy{"PolicyName",
                                                     "PolicyId",
                                                     "Arn",
                                                     "Path",
                                                     "DefaultVersionId",
                                                     "AttachmentCount",
                                                     "IsAttachable",
                                                     "CreateDate",
                                                     "UpdateDate",
                                                     "Description",
                                                     "Tags",
                                                     "PolicyVersionList",
                                                     "PermissionsBoundaryUsageCount",
                                                     "LastVersion"};
constexpr std::array<std::string_view, 4> kOfVersion{"Document", "VersionId", "IsDefaultVersion", "CreateDate"};
constexpr std::array<std::string_view, 2> kOfInline{"PolicyName", "PolicyDocument"};
constexpr std::array<std::string_view, 2> kOfAttached{"PolicyName", "PolicyArn"};
constexpr std::array<std::string_view, 2> kOfBoundary{"PermissionsBoundaryType", "PermissionsBoundaryArn"};
constexpr std::array<std::string_view, 2> kOfTag{"Key", "Value"};
constexpr std::array<std::string_view, 4> kOfKey{"AccessKeyId", "SecretAccessKey", "Status", "CreateDate"};

// What the three kinds have in common, under names of their own.
struct KindNames {
  std::string_view word;
  Names members;
  std::string_view name, id, id_prefix, policies;
};
constexpr std::array<KindNames, kPrincipalKinds> kKindNames{
    KindNames{"user", kOfUser, "UserName", "UserId", "AIDA", "UserPolicyList"},
    KindNames{"group", kOfGroup, "GroupName", "GroupId", "AGPA", "GroupPolicyList"},
    KindNames{"role", kOfRole, "RoleName", "RoleId", "AROA", "RolePolicyList"}};

Error wrong_account(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

// One object of the file, in which every member has a name that is known.
class Entry {
 public:
  static Result<Entry> of(const dom::element& value, const std::string& what, Names known) {
    Entry entry;
    entry.what_ = what;
    if (value.get(entry.object_) != simdjson::SUCCESS) return wrong_account(what + " is not a JSON object.");
    std::vector<std::string_view> seen;
    for (const auto& [name, member] : entry.object_) {
      if (std::ranges::find(known, name) == known.end()) {
        return wrong_account(what + " has a member " + std::string(name) + ", which is not known.");
      }
      if (std::ranges::find(seen, name) != seen.end())
        return wrong_account(what + " has two members " + std::string(name) + ".");
      seen.push_back(name);
    }
    return entry;
  }

  std::optional<dom::element> member(std::string_view name) const {
    dom::element found;
    if (object_.at_key(name).get(found) != simdjson::SUCCESS) return std::nullopt;
    return found;
  }
  // Empty when absent.
  Result<std::string> text(std::string_view name) const {
    const auto value = member(name);
    std::string_view found;
    if (value && value->get(found) != simdjson::SUCCESS) return wrong_account(named(name) + " is not a text.");
    return std::string(found);
  }
  Result<std::string> needed_text(std::string_view name) const {
    PARTITA_TRY(std::string found, text(name));
    if (found.empty()) return wrong_account(what_ + " has no " + std::string(name) + ".");
    return found;
  }
  // Calls `take` with each element; with none when absent.
  template <class Take>
  Result<void> each(std::string_view name, Take take) const {
    const auto value = member(name);
    if (!value) return {};
    dom::array list;
    if (value->get(list) != simdjson::SUCCESS) return wrong_account(named(name) + " is not a list.");
    for (const dom::element one : list) PARTITA_TRY_VOID(take(one));
    return {};
  }
  std::string named(std::string_view name) const { return "The " + std::string(name) + " of " + what_; }
  const std::string& what() const { return what_; }

 private:
  dom::object object_;
  std::string what_;
};

// Milliseconds since 1970, as a store has them; 0 when absent, or as AWS writes it: nothing depends on that.
int64_t moment(const Entry& entry, std::string_view name) {
  int64_t ms = 0;
  const auto value = entry.member(name);
  return value && value->get(ms) == simdjson::SUCCESS ? ms : 0;
}

// A document is an object, or its text.
Result<std::string> document_of(const Entry& entry, std::string_view name) {
  const auto document = entry.member(name);
  if (!document) return wrong_account(entry.what() + " has no " + std::string(name) + ".");
  std::string_view text;
  return document->get(text) == simdjson::SUCCESS ? std::string(text) : simdjson::to_string(*document);
}

Result<std::map<std::string, std::string>> tags_of(const Entry& entry) {
  std::map<std::string, std::string> tags;
  const auto take = [&](const dom::element& one) -> Result<void> {
    PARTITA_TRY(const Entry tag, Entry::of(one, "a tag of " + entry.what(), kOfTag));
    PARTITA_TRY(std::string key, tag.needed_text("Key"));
    PARTITA_TRY(std::string text, tag.text("Value"));
    if (!tags.emplace(std::move(key), std::move(text)).second) return wrong_account(entry.what() + " has a tag twice.");
    return {};
  };
  PARTITA_TRY_VOID(entry.each("Tags", take));
  return tags;
}

Result<void> read_policies(const Entry& entry, std::string_view own, Principal& principal) {
  const auto take_own = [&](const dom::element& one) -> Result<void> {
    PARTITA_TRY(const Entry policy, Entry::of(one, "a policy of " + entry.what(), kOfInline));
    PARTITA_TRY(std::string document, document_of(policy, "PolicyDocument"));
    PARTITA_TRY(std::string name, policy.text("PolicyName"));
    principal.policies.push_back({std::move(name), std::move(document)});
    return {};
  };
  const auto take_attached = [&](const dom::element& one) -> Result<void> {
    PARTITA_TRY(const Entry attached, Entry::of(one, "what is attached to " + entry.what(), kOfAttached));
    PARTITA_TRY(std::string arn, attached.needed_text("PolicyArn"));
    principal.attached.push_back(std::move(arn));
    return {};
  };
  PARTITA_TRY_VOID(entry.each(own, take_own));
  return entry.each("AttachedManagedPolicies", take_attached);
}

Result<void> read_user(const Entry& entry, Principal& user) {
  const auto take_group = [&](const dom::element& one) -> Result<void> {
    std::string_view name;
    if (one.get(name) != simdjson::SUCCESS) return wrong_account(entry.named("GroupList") + " is not a list of texts.");
    user.groups.emplace_back(name);
    return {};
  };
  PARTITA_TRY_VOID(entry.each("GroupList", take_group));
  return entry.each("AccessKeys", [&](const dom::element& one) -> Result<void> {
    PARTITA_TRY(const Entry key, Entry::of(one, "a key of " + entry.what(), kOfKey));
    PARTITA_TRY(std::string id, key.needed_text("AccessKeyId"));
    PARTITA_TRY(std::string secret, key.needed_text("SecretAccessKey"));
    PARTITA_TRY(const std::string status, key.needed_text("Status"));
    user.keys.push_back({std::move(id), std::move(secret), status == "Active", moment(key, "CreateDate")});
    return {};
  });
}

Result<void> read_role(const Entry& entry, Principal& role) {
  PARTITA_TRY(role.trust, document_of(entry, "AssumeRolePolicyDocument"));
  PARTITA_TRY(role.description, entry.text("Description"));
  const auto longest = entry.member("MaxSessionDuration");
  if (longest && longest->get(role.max_session_s) != simdjson::SUCCESS) {
    return wrong_account(entry.named("MaxSessionDuration") + " is not a number.");
  }
  return {};
}

Result<Principal> read(PrincipalKind kind, const dom::element& value) {
  const KindNames& names = kKindNames[static_cast<size_t>(kind)];
  const std::string word(names.word);
  Principal principal;
  principal.kind = kind;
  PARTITA_TRY(const Entry unnamed, Entry::of(value, "a " + word, names.members));
  PARTITA_TRY(principal.name, unnamed.needed_text(names.name));
  PARTITA_TRY(const Entry entry, Entry::of(value, "the " + word + " " + principal.name, names.members));
  PARTITA_TRY(principal.path, entry.text("Path"));
  if (principal.path.empty()) principal.path = "/";
  PARTITA_TRY(principal.arn, entry.text("Arn"));
  if (principal.arn.empty()) principal.arn = principal_arn(kind, principal.path, principal.name);
  PARTITA_TRY(principal.id, entry.text(names.id));
  if (principal.id.empty()) principal.id = std::string(names.id_prefix) + principal.name;
  principal.created_ms = moment(entry, "CreateDate");
  PARTITA_TRY_VOID(read_policies(entry, names.policies, principal));
  PARTITA_TRY(principal.tags, tags_of(entry));
  if (const auto given = entry.member("PermissionsBoundary")) {
    PARTITA_TRY(const Entry boundary, Entry::of(*given, "the boundary of " + entry.what(), kOfBoundary));
    PARTITA_TRY(principal.boundary, boundary.needed_text("PermissionsBoundaryArn"));
  }
  if (kind == PrincipalKind::kUser) PARTITA_TRY_VOID(read_user(entry, principal));
  if (kind == PrincipalKind::kRole) PARTITA_TRY_VOID(read_role(entry, principal));
  return principal;
}

// The number in "v7".
std::optional<int64_t> version_number(std::string_view text) {
  constexpr size_t kMostDigits = 9;
  if (!text.starts_with('v') || text.size() < 2 || text.size() > kMostDigits) return std::nullopt;
  int64_t number = 0;
  for (const char c : text.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

Result<void> read_version(const dom::element& one, ManagedPolicy& policy, bool& chosen) {
  PARTITA_TRY(const Entry version, Entry::of(one, "a version of " + policy.arn, kOfVersion));
  bool is_default = true;
  const auto said = version.member("IsDefaultVersion");
  if (said && said->get(is_default) != simdjson::SUCCESS)
    return wrong_account(version.named("IsDefaultVersion") + " is not true or false.");
  if (!is_default && !version.member("Document")) return {};
  if (is_default && chosen) return wrong_account(policy.arn + " has two versions that are the default.");
  PolicyVersion made;
  PARTITA_TRY(made.document, document_of(version, "Document"));
  PARTITA_TRY(const std::string number, version.text("VersionId"));
  made.number = version_number(number).value_or(policy.last_version + (policy.versions.empty() ? 0 : 1));
  made.created_ms = moment(version, "CreateDate");
  policy.last_version = std::max(policy.last_version, made.number);
  if (is_default) policy.default_version = made.number;
  chosen = chosen || is_default;
  policy.versions.push_back(std::move(made));
  return {};
}

Result<ManagedPolicy> read_managed(const dom::element& value) {
  PARTITA_TRY(const Entry entry, Entry::of(value, "a policy", kOfPolicy));
  ManagedPolicy policy;
  PARTITA_TRY(policy.arn, entry.needed_text("Arn"));
  PARTITA_TRY(policy.name, entry.text("PolicyName"));
  if (policy.name.empty()) policy.name = policy.arn.substr(policy.arn.rfind('/') + 1);
  PARTITA_TRY(policy.path, entry.text("Path"));
  if (policy.path.empty()) policy.path = "/";
  PARTITA_TRY(policy.id, entry.text("PolicyId"));
  if (policy.id.empty()) policy.id = "ANPA" + policy.name;
  PARTITA_TRY(policy.description, entry.text("Description"));
  policy.created_ms = moment(entry, "CreateDate");
  policy.updated_ms = moment(entry, "UpdateDate");
  PARTITA_TRY(policy.tags, tags_of(entry));
  bool chosen = false;
  PARTITA_TRY_VOID(
      entry.each("PolicyVersionList", [&](const dom::element& one) { return read_version(one, policy, chosen); }));
  if (!chosen) return wrong_account(policy.arn + " has no version that is the default.");
  std::ranges::sort(policy.versions, {}, &PolicyVersion::number);
  policy.last_version = std::max(policy.last_version, moment(entry, "LastVersion"));
  return policy;
}

Result<dom::element> parse(dom::parser& parser, std::string_view text) {
  dom::element root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS)
    return wrong_account("The file is not JSON.");
  return root;
}

Result<void> read_all(const Entry& file, PrincipalKind kind, std::string_view list, Account& account) {
  return file.each(list, [&](const dom::element& one) -> Result<void> {
    auto made = read(kind, one);
    // Dumps of accounts have roles of AWS's own services, which nobody takes here.
    if (!made.ok() && kind == PrincipalKind::kRole) {
      log(LogLevel::kWarn, {"A role is ignored: ", made.error().sentence()});
      return {};
    }
    PARTITA_TRY(Principal principal, std::move(made));
    if (!principal.keys.empty())
      return wrong_account("The user " + principal.name + " has AccessKeys: they are not for here.");
    std::string name = principal.name;
    const bool fresh = account.of(kind).emplace(name, std::make_shared<const Principal>(std::move(principal))).second;
    const std::string word(kKindNames[static_cast<size_t>(kind)].word);
    if (!fresh) return wrong_account("Two " + word + "s have the name " + name + ".");
    return {};
  });
}

}  // namespace

Result<Account> read_account(std::string_view text) {
  dom::parser parser;
  PARTITA_TRY(const dom::element root, parse(parser, text));
  PARTITA_TRY(const Entry file, Entry::of(root, "the file", kOfFile));
  if (bool truncated = false;
      file.member("IsTruncated") && file.member("IsTruncated")->get(truncated) == simdjson::SUCCESS && truncated) {
    return wrong_account("The file is only the beginning of an account: IsTruncated.");
  }
  Account account;
  PARTITA_TRY_VOID(file.each("Policies", [&](const dom::element& one) -> Result<void> {
    PARTITA_TRY(ManagedPolicy policy, read_managed(one));
    std::string arn = policy.arn;
    const bool fresh = account.policies.emplace(arn, std::make_shared<const ManagedPolicy>(std::move(policy))).second;
    if (!fresh) return wrong_account("Two policies have the ARN " + arn + ".");
    return {};
  }));
  PARTITA_TRY_VOID(read_all(file, PrincipalKind::kGroup, "GroupDetailList", account));
  PARTITA_TRY_VOID(read_all(file, PrincipalKind::kUser, "UserDetailList", account));
  PARTITA_TRY_VOID(read_all(file, PrincipalKind::kRole, "RoleDetailList", account));
  return account;
}

Result<Principal> read_principal(PrincipalKind kind, std::string_view text) {
  dom::parser parser;
  PARTITA_TRY(const dom::element root, parse(parser, text));
  return read(kind, root);
}

Result<ManagedPolicy> read_managed_policy(std::string_view text) {
  dom::parser parser;
  PARTITA_TRY(const dom::element root, parse(parser, text));
  return read_managed(root);
}

}  // namespace partita::auth
