#include "iam/rows.h"

#include <array>
#include <utility>

#include "auth/identities.h"
#include "auth/policy.h"
#include "auth/seal.h"
#include "base/log.h"
#include "wire/json_writer.h"

namespace partita::iam {

namespace {

using auth::Account;
using auth::ManagedPolicy;
using auth::Principal;
using auth::PrincipalKind;
using wire::JsonWriter;

constexpr std::string_view kSealKeyRow = "k";
constexpr std::string_view kPolicyRow = "p/";

struct RowNames {
  std::string_view row, name, id, policies;
};
constexpr std::array<RowNames, auth::kPrincipalKinds> kRows{RowNames{"u/", "UserName", "UserId", "UserPolicyList"},
                                                            RowNames{"g/", "GroupName", "GroupId", "GroupPolicyList"},
                                                            RowNames{"r/", "RoleName", "RoleId", "RolePolicyList"}};

const RowNames& names_of(PrincipalKind kind) { return kRows[static_cast<size_t>(kind)]; }

template <class List, class Write>
void list(JsonWriter& json, std::string_view name, const List& of, Write write) {
  if (of.empty()) return;
  json.begin_array(name);
  for (const auto& one : of) write(one);
  json.end_array();
}

void write_tags(JsonWriter& json, const std::map<std::string, std::string>& tags) {
  list(json, "Tags", tags, [&](const auto& tag) {
    json.begin_object();
    json.member("Key", tag.first);
    json.member("Value", tag.second);
    json.end_object();
  });
}

void write_user(JsonWriter& json, const Principal& user) {
  list(json, "GroupList", user.groups, [&](const std::string& name) { json.string(name); });
  list(json, "AccessKeys", user.keys, [&](const auth::UserKey& key) {
    json.begin_object();
    json.member("AccessKeyId", key.id);
    json.member("SecretAccessKey", key.secret);
    json.member("Status", key.active ? "Active" : "Inactive");
    json.member("CreateDate", key.created_ms);
    json.end_object();
  });
}

void write_role(JsonWriter& json, const Principal& role) {
  json.member("AssumeRolePolicyDocument", role.trust);
  json.member("Description", role.description);
  json.member("MaxSessionDuration", role.max_session_s);
}

std::string text_of(const Principal& principal) {
  const RowNames& names = names_of(principal.kind);
  JsonWriter json;
  json.begin_object();
  json.member(names.name, principal.name);
  json.member("Path", principal.path);
  json.member(names.id, principal.id);
  json.member("Arn", principal.arn);
  json.member("CreateDate", principal.created_ms);
  list(json, names.policies, principal.policies, [&](const auth::InlinePolicy& policy) {
    json.begin_object();
    json.member("PolicyName", policy.name);
    json.member("PolicyDocument", policy.document);
    json.end_object();
  });
  list(json, "AttachedManagedPolicies", principal.attached, [&](const std::string& arn) {
    json.begin_object();
    json.member("PolicyArn", arn);
    json.end_object();
  });
  if (!principal.boundary.empty()) {
    json.begin_object("PermissionsBoundary");
    json.member("PermissionsBoundaryArn", principal.boundary);
    json.end_object();
  }
  write_tags(json, principal.tags);
  if (principal.kind == PrincipalKind::kUser) write_user(json, principal);
  if (principal.kind == PrincipalKind::kRole) write_role(json, principal);
  json.end_object();
  return std::move(json).take();
}

std::string text_of(const ManagedPolicy& policy) {
  JsonWriter json;
  json.begin_object();
  json.member("PolicyName", policy.name);
  json.member("Path", policy.path);
  json.member("PolicyId", policy.id);
  json.member("Arn", policy.arn);
  json.member("Description", policy.description);
  json.member("CreateDate", policy.created_ms);
  json.member("UpdateDate", policy.updated_ms);
  json.member("LastVersion", policy.last_version);
  write_tags(json, policy.tags);
  list(json, "PolicyVersionList", policy.versions, [&](const auth::PolicyVersion& version) {
    json.begin_object();
    json.member("VersionId", "v" + std::to_string(version.number));
    json.member("Document", version.document);
    json.member("CreateDate", version.created_ms);
    json.member("IsDefaultVersion", version.number == policy.default_version);
    json.end_object();
  });
  json.end_object();
  return std::move(json).take();
}

template <class Named>
void add_changes(std::string_view prefix, const Named& before, const Named& after,
                 std::vector<table::AccountChange>& changes) {
  for (const auto& [name, now] : after) {
    const auto found = before.find(name);
    if (found != before.end() && found->second == now) continue;
    changes.push_back({std::string(prefix) + name, text_of(*now)});
  }
  for (const auto& [name, gone] : before) {
    if (!after.contains(name)) changes.push_back({std::string(prefix) + name, std::nullopt});
  }
}

template <class One>
Result<void> keep(std::string_view named, Result<One> read, std::string One::* name, Account::Named<One>& into) {
  PARTITA_TRY(One one, std::move(read));
  if (one.*name != named) return Error(ErrorKind::kInvalid, "It is of " + one.*name + ".");
  into.emplace(named, std::make_shared<const One>(std::move(one)));
  return {};
}

// Whether it is a row of a known kind. Error: it cannot be read.
Result<bool> take_row(std::string_view row, const std::string& text, Account& account) {
  if (row == kSealKeyRow) {
    if (text.size() != auth::kSealKeyBytes) return Error(ErrorKind::kInvalid, "It is no key.");
    account.seal_key = text;
    return true;
  }
  if (row.starts_with(kPolicyRow)) {
    PARTITA_TRY_VOID(
        keep(row.substr(kPolicyRow.size()), auth::read_managed_policy(text), &ManagedPolicy::arn, account.policies));
    return true;
  }
  for (size_t i = 0; i < kRows.size(); ++i) {
    const auto kind = static_cast<PrincipalKind>(i);
    if (!row.starts_with(kRows[i].row)) continue;
    PARTITA_TRY_VOID(
        keep(row.substr(kRows[i].row.size()), auth::read_principal(kind, text), &Principal::name, account.of(kind)));
    return true;
  }
  return false;
}

std::string unreadable(const std::string& row, const Error& why) {
  return "The store's row " + row + " cannot be read: " + std::string(why.sentence());
}

}  // namespace

Account account_of(const std::map<std::string, std::string>& rows) {
  Account account;
  for (const auto& [row, text] : rows) {
    const auto taken = take_row(row, text, account);
    if (!taken.ok()) log(LogLevel::kError, unreadable(row, taken.error()));
  }
  return account;
}

std::vector<std::string> faults_of(const std::map<std::string, std::string>& rows) {
  std::vector<std::string> faults;
  Account account;
  for (const auto& [row, text] : rows) {
    const auto taken = take_row(row, text, account);
    if (!taken.ok()) faults.push_back(unreadable(row, taken.error()));
    if (taken.ok() && !*taken) faults.push_back("The store's row " + row + " is of a kind that is not known.");
  }
  for (const auto& [name, role] : account.of(PrincipalKind::kRole)) {
    const auto trust = auth::Policy::parse(role->trust, auth::Policy::Use::kTrust);
    if (!trust.ok()) faults.push_back("the role " + name + ": " + std::string(trust.error().sentence()));
  }
  if (!faults.empty()) return faults;
  const auto identities = auth::Identities::of(account);
  if (!identities.ok()) faults.emplace_back(identities.error().sentence());
  return faults;
}

std::vector<table::AccountChange> changes_between(const Account& before, const Account& after) {
  std::vector<table::AccountChange> changes;
  for (size_t i = 0; i < kRows.size(); ++i) {
    add_changes(kRows[i].row, before.principals[i], after.principals[i], changes);
  }
  add_changes(kPolicyRow, before.policies, after.policies, changes);
  if (before.seal_key != after.seal_key) changes.push_back({std::string(kSealKeyRow), after.seal_key});
  return changes;
}

}  // namespace partita::iam
