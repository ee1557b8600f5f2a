// Access keys of users, and the groups that they are in.
#include <algorithm>
#include <utility>

#include "auth/seal.h"
#include "auth/session.h"
#include "iam/parameters.h"
#include "iam/principals.h"
#include "iam/replies.h"
#include "model/fault.h"

namespace partita::iam {

namespace {

using auth::Principal;
using auth::PrincipalKind;
using auth::UserKey;
using model::Fault;
using model::refuse;

constexpr size_t kMostKeys = 2;
constexpr size_t kMostGroups = 10;
constexpr size_t kKeyCharacters = 16;

std::string_view status_of(const UserKey& key) { return key.active ? "Active" : "Inactive"; }

// The key that the call names, of the user that is `found`.
Result<std::vector<UserKey>::iterator> key_in(const Request& request, Principal& found) {
  PARTITA_TRY(const std::string id, needed(request, "AccessKeyId"));
  const auto key = std::ranges::find(found.keys, id, &UserKey::id);
  if (key == found.keys.end()) return refuse(Fault::kIamKeyNotFound, {id});
  return key;
}

void write_groups(Request& request, Paging& paging, const Principal& user) {
  request.out.begin("Groups");
  for (const auto& [name, group] : request.account.of(PrincipalKind::kGroup)) {
    if (std::ranges::find(user.groups, name) == user.groups.end() || !paging.shows(name)) continue;
    request.out.begin("member");
    write_principal(request, *group, false);
    request.out.end();
  }
  request.out.end();
}

}  // namespace

Result<void> create_access_key(Request& request) {
  PARTITA_TRY(Principal user, principal_in(request, PrincipalKind::kUser));
  if (user.keys.size() >= kMostKeys) {
    return refuse(Fault::kIamLimit, {"AccessKeysPerUser", std::to_string(kMostKeys)});
  }
  UserKey key;
  key.id = fresh_id("AKIA", kKeyCharacters);
  key.secret = auth::fresh_secret();
  key.created_ms = request.now_ms;
  request.out.begin("AccessKey");
  request.out.text("UserName", user.name);
  request.out.text("AccessKeyId", key.id);
  request.out.text("Status", status_of(key));
  request.out.text("SecretAccessKey", key.secret);
  request.out.text("CreateDate", moment(key.created_ms));
  request.out.end();
  user.keys.push_back(std::move(key));
  replace(request, std::move(user));
  return {};
}

Result<void> update_access_key(Request& request) {
  PARTITA_TRY(Principal user, principal_in(request, PrincipalKind::kUser));
  PARTITA_TRY(const auto key, key_in(request, user));
  PARTITA_TRY(const std::string status, needed(request, "Status"));
  if (status != "Active" && status != "Inactive") {
    return invalid(
        "1 validation error detected: Value '" + status +
        "' at 'status' failed to satisfy constraint: Member must satisfy enum value set: [Active, Inactive]");
  }
  key->active = status == "Active";
  replace(request, std::move(user));
  return {};
}

Result<void> delete_access_key(Request& request) {
  PARTITA_TRY(Principal user, principal_in(request, PrincipalKind::kUser));
  PARTITA_TRY(const auto key, key_in(request, user));
  user.keys.erase(key);
  replace(request, std::move(user));
  return {};
}

Result<void> list_access_keys(Request& request) {
  PARTITA_TRY(const Principal user, principal_in(request, PrincipalKind::kUser));
  request.out.begin("AccessKeyMetadata");
  for (const UserKey& key : user.keys) {
    request.out.begin("member");
    request.out.text("UserName", user.name);
    request.out.text("AccessKeyId", key.id);
    request.out.text("Status", status_of(key));
    request.out.text("CreateDate", moment(key.created_ms));
    request.out.end();
  }
  request.out.end();
  request.out.boolean("IsTruncated", false);
  return {};
}

Result<void> get_group(Request& request) {
  PARTITA_TRY(const Principal group, principal_in(request, PrincipalKind::kGroup));
  PARTITA_TRY(Paging paging, Paging::of(request));
  request.out.begin("Group");
  write_principal(request, group, true);
  request.out.end();
  request.out.begin("Users");
  for (const auto& [name, user] : request.account.of(PrincipalKind::kUser)) {
    if (std::ranges::find(user->groups, group.name) == user->groups.end() || !paging.shows(name)) continue;
    request.out.begin("member");
    write_principal(request, *user, false);
    request.out.end();
  }
  request.out.end();
  paging.write(request);
  return {};
}

Result<void> add_user_to_group(Request& request) {
  PARTITA_TRY(const Principal group, principal_in(request, PrincipalKind::kGroup));
  PARTITA_TRY(Principal user, principal_in(request, PrincipalKind::kUser));
  if (std::ranges::find(user.groups, group.name) != user.groups.end()) return {};
  if (user.groups.size() >= kMostGroups)
    return refuse(Fault::kIamLimit, {"GroupsPerUser", std::to_string(kMostGroups)});
  user.groups.push_back(group.name);
  std::ranges::sort(user.groups);
  replace(request, std::move(user));
  return {};
}

Result<void> remove_user_from_group(Request& request) {
  PARTITA_TRY(const Principal group, principal_in(request, PrincipalKind::kGroup));
  PARTITA_TRY(Principal user, principal_in(request, PrincipalKind::kUser));
  if (std::erase(user.groups, group.name) == 0) return refuse(Fault::kIamNotInGroup, {user.name, group.name});
  replace(request, std::move(user));
  return {};
}

Result<void> list_groups_for_user(Request& request) {
  PARTITA_TRY(const Principal user, principal_in(request, PrincipalKind::kUser));
  PARTITA_TRY(Paging paging, Paging::of(request));
  write_groups(request, paging, user);
  paging.write(request);
  return {};
}

}  // namespace partita::iam
