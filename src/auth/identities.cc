#include "auth/identities.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

namespace partita::auth {

namespace {

namespace dom = simdjson::dom;

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 6> kOfFile{"UserDetailList", "GroupDetailList", "RoleDetailList",
                                                  "Policies",       "IsTruncated",     "Marker"};
constexpr std::array<std::string_view, 10> kOfUser{"UserName",
                                                   "Path",
                                                   "UserId",
                                                   "Arn",
                                                   "CreateDate",
                                                   "GroupList",
                                                   "UserPolicyList",
                                                   "AttachedManagedPolicies",
                                                   "PermissionsBoundary",
                                                   "Tags"};
constexpr std::array<std::string_view, 7> kOfGroup{
    "GroupName", "Path", "GroupId", "Arn", "CreateDate", "GroupPolicyList", "AttachedManagedPolicies"};
constexpr std::array<std::string_view, 13> kOfPolicy{"PolicyName",
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
                                                     "PermissionsBoundaryUsageCount"};
constexpr std::array<std::string_view, 4> kOfVersion{"Document", "VersionId", "IsDefaultVersion", "CreateDate"};
constexpr std::array<std::string_view, 2> kOfInline{"PolicyName", "PolicyDocument"};
constexpr std::array<std::string_view, 2> kOfAttached{"PolicyName", "PolicyArn"};
constexpr std::array<std::string_view, 2> kOfBoundary{"PermissionsBoundaryType", "PermissionsBoundaryArn"};
constexpr std::array<std::string_view, 2> kOfTag{"Key", "Value"};

Error wrong(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

// One object of the file, in which every member has a name that is known.
class Entry {
 public:
  static Result<Entry> of(const dom::element& value, const std::string& what, Names known) {
    Entry entry;
    entry.what_ = what;
    if (value.get(entry.object_) != simdjson::SUCCESS) return wrong(what + " is not a JSON object.");
    std::vector<std::string_view> seen;
    for (const auto& [name, member] : entry.object_) {
      if (std::ranges::find(known, name) == known.end()) {
        return wrong(what + " has a member " + std::string(name) + ", which is not known.");
      }
      if (std::ranges::find(seen, name) != seen.end())
        return wrong(what + " has two members " + std::string(name) + ".");
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
    if (value && value->get(found) != simdjson::SUCCESS) return wrong(named(name) + " is not a text.");
    return std::string(found);
  }
  Result<std::string> needed_text(std::string_view name) const {
    PARTITA_TRY(std::string found, text(name));
    if (found.empty()) return wrong(what_ + " has no " + std::string(name) + ".");
    return found;
  }
  // Calls `take` with each element; with none when absent.
  template <class Take>
  Result<void> each(std::string_view name, Take take) const {
    const auto value = member(name);
    if (!value) return {};
    dom::array list;
    if (value->get(list) != simdjson::SUCCESS) return wrong(named(name) + " is not a list.");
    for (const dom::element one : list) PARTITA_TRY_VOID(take(one));
    return {};
  }
  std::string named(std::string_view name) const { return "The " + std::string(name) + " of " + what_; }
  const std::string& what() const { return what_; }

 private:
  dom::object object_;
  std::string what_;
};

}  // namespace

class IdentitiesReader {
 public:
  Result<Identities> read(const dom::element& root) {
    PARTITA_TRY(const Entry file, Entry::of(root, "the file", kOfFile));
    if (bool truncated = false;
        file.member("IsTruncated") && file.member("IsTruncated")->get(truncated) == simdjson::SUCCESS && truncated) {
      return wrong("The file is only the beginning of an account: IsTruncated.");
    }
    PARTITA_TRY_VOID(file.each("Policies", [&](const dom::element& one) { return read_managed(one); }));
    PARTITA_TRY_VOID(file.each("GroupDetailList", [&](const dom::element& one) { return read_group(one); }));
    PARTITA_TRY_VOID(file.each("UserDetailList", [&](const dom::element& one) { return read_user(one); }));
    return std::move(made_);
  }

 private:
  using Policies = std::vector<const Policy*>;

  // A document is an object, or its text.
  Result<const Policy*> add(const dom::element& document, const std::string& what) {
    std::string_view text;
    const std::string written =
        document.get(text) == simdjson::SUCCESS ? std::string(text) : simdjson::to_string(document);
    auto policy = Policy::parse(written, Policy::Use::kIdentity);
    if (!policy.ok()) return wrong(what + ": " + std::string(policy.error().sentence()));
    return &made_.policies_.emplace_back(std::move(policy).value());
  }

  Result<void> read_managed(const dom::element& value) {
    PARTITA_TRY(const Entry entry, Entry::of(value, "a policy", kOfPolicy));
    PARTITA_TRY(const std::string arn, entry.needed_text("Arn"));
    const Policy* chosen = nullptr;
    const auto take = [&](const dom::element& one) -> Result<void> {
      PARTITA_TRY(const Entry version, Entry::of(one, "a version of " + arn, kOfVersion));
      bool is_default = true;
      const auto said = version.member("IsDefaultVersion");
      if (said && said->get(is_default) != simdjson::SUCCESS)
        return wrong(version.named("IsDefaultVersion") + " is not true or false.");
      if (!is_default) return {};
      const auto document = version.member("Document");
      if (!document) return wrong(version.what() + " has no Document.");
      if (chosen != nullptr) return wrong(arn + " has two versions that are the default.");
      PARTITA_TRY(chosen, add(*document, arn));
      return {};
    };
    PARTITA_TRY_VOID(entry.each("PolicyVersionList", take));
    if (chosen == nullptr) return wrong(arn + " has no version that is the default.");
    if (!managed_.emplace(arn, chosen).second) return wrong("Two policies have the ARN " + arn + ".");
    return {};
  }

  Result<const Policy*> managed(const std::string& arn, const std::string& what) const {
    const auto found = managed_.find(arn);
    if (found == managed_.end()) return wrong(what + " names the policy " + arn + ", which is not there.");
    return found->second;
  }

  // What is attached to a user or a group, and what is its own.
  Result<void> read_policies(const Entry& entry, std::string_view own, Policies& policies) {
    const auto take_own = [&](const dom::element& one) -> Result<void> {
      PARTITA_TRY(const Entry policy, Entry::of(one, "a policy of " + entry.what(), kOfInline));
      const auto document = policy.member("PolicyDocument");
      if (!document) return wrong(policy.what() + " has no PolicyDocument.");
      PARTITA_TRY(const std::string name, policy.text("PolicyName"));
      PARTITA_TRY(const Policy* const made, add(*document, entry.what() + ", " + name));
      policies.push_back(made);
      return {};
    };
    const auto take_attached = [&](const dom::element& one) -> Result<void> {
      PARTITA_TRY(const Entry attached, Entry::of(one, "what is attached to " + entry.what(), kOfAttached));
      PARTITA_TRY(const std::string arn, attached.needed_text("PolicyArn"));
      PARTITA_TRY(const Policy* const found, managed(arn, entry.what()));
      policies.push_back(found);
      return {};
    };
    PARTITA_TRY_VOID(entry.each(own, take_own));
    return entry.each("AttachedManagedPolicies", take_attached);
  }

  Result<void> read_group(const dom::element& value) {
    PARTITA_TRY(const Entry unnamed, Entry::of(value, "a group", kOfGroup));
    PARTITA_TRY(const std::string name, unnamed.needed_text("GroupName"));
    PARTITA_TRY(const Entry entry, Entry::of(value, "the group " + name, kOfGroup));
    Policies policies;
    PARTITA_TRY_VOID(read_policies(entry, "GroupPolicyList", policies));
    if (!groups_.emplace(name, std::move(policies)).second) return wrong("Two groups have the name " + name + ".");
    return {};
  }

  Result<void> read_names(const Entry& entry, Identity& user) {
    PARTITA_TRY(std::string path, entry.text("Path"));
    if (path.empty()) path = "/";
    PARTITA_TRY(user.arn, entry.text("Arn"));
    if (user.arn.empty()) user.arn = "arn:aws:iam::" + std::string(kAccount) + ":user" + path + user.name;
    PARTITA_TRY(user.id, entry.text("UserId"));
    if (user.id.empty()) user.id = "AIDA" + user.name;
    const auto take_tag = [&](const dom::element& one) -> Result<void> {
      PARTITA_TRY(const Entry tag, Entry::of(one, "a tag of " + entry.what(), kOfTag));
      PARTITA_TRY(std::string key, tag.needed_text("Key"));
      PARTITA_TRY(std::string text, tag.text("Value"));
      if (!user.tags.emplace(std::move(key), std::move(text)).second) return wrong(entry.what() + " has a tag twice.");
      return {};
    };
    return entry.each("Tags", take_tag);
  }

  Result<void> read_user(const dom::element& value) {
    PARTITA_TRY(const Entry unnamed, Entry::of(value, "a user", kOfUser));
    auto user = std::make_unique<Identity>();
    PARTITA_TRY(user->name, unnamed.needed_text("UserName"));
    PARTITA_TRY(const Entry entry, Entry::of(value, "the user " + user->name, kOfUser));
    PARTITA_TRY_VOID(read_names(entry, *user));
    PARTITA_TRY_VOID(read_policies(entry, "UserPolicyList", user->policies));
    const auto take_group = [&](const dom::element& one) -> Result<void> {
      std::string_view name;
      const auto found = one.get(name) == simdjson::SUCCESS ? groups_.find(name) : groups_.end();
      if (found == groups_.end())
        return wrong(entry.what() + " is in a group that is not there: " + std::string(name) + ".");
      user->policies.insert(user->policies.end(), found->second.begin(), found->second.end());
      return {};
    };
    PARTITA_TRY_VOID(entry.each("GroupList", take_group));
    if (const auto given = entry.member("PermissionsBoundary")) {
      PARTITA_TRY(const Entry boundary, Entry::of(*given, "the boundary of " + entry.what(), kOfBoundary));
      PARTITA_TRY(const std::string arn, boundary.needed_text("PermissionsBoundaryArn"));
      PARTITA_TRY(user->boundary, managed(arn, entry.what()));
    }
    std::string name = user->name;
    if (!made_.users_.emplace(name, std::move(user)).second) return wrong("Two users have the name " + name + ".");
    return {};
  }

  Identities made_;
  std::map<std::string, const Policy*, std::less<>> managed_;
  std::map<std::string, Policies, std::less<>> groups_;
};

Result<Identities> Identities::parse(std::string_view text) {
  dom::parser parser;
  dom::element root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return wrong("The file is not JSON.");
  return IdentitiesReader().read(root);
}

const Identity* Identities::find(std::string_view user_name) const {
  const auto found = users_.find(user_name);
  return found == users_.end() ? nullptr : found->second.get();
}

}  // namespace partita::auth
