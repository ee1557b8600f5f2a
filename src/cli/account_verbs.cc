#include "cli/account_verbs.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "auth/account.h"
#include "auth/text_util.h"
#include "cli/admin_client.h"
#include "cli/callers.h"
#include "cli/credentials_file.h"
#include "iam/replies.h"

namespace partita::cli {

namespace {

constexpr std::array kVerbs = {
    AccountVerb{"user create", "NAME",
                "Create a user. Until a policy allows something, the user's requests are refused.", "CreateUser",
                "UserName", "Arn"},
    AccountVerb{"user delete", "NAME", "Delete a user that has no access keys, groups or policies.", "DeleteUser",
                "UserName", ""},
    AccountVerb{"user list", "", "List the users and their ARNs.", "ListUsers", "", "UserName Arn"},
    AccountVerb{"user show", "NAME", "Show a user's groups, access keys and policies.",
                "GetUser ListGroupsForUser ListAccessKeys ListUserPolicies ListAttachedUserPolicies", "UserName", ""},
    AccountVerb{
        kKeyVerb, "NAME",
        "Create an access key, and print it as a profile for ~/.aws/credentials. The secret is shown only this once.",
        "CreateAccessKey", "UserName", "[UserName]"},
    AccountVerb{"user key delete", "NAME KEY",
                "Delete an access key. Requests signed with it are refused from then on.", "DeleteAccessKey",
                "UserName AccessKeyId", ""},
    AccountVerb{"group create", "NAME", "Create a group.", "CreateGroup", "GroupName", "Arn"},
    AccountVerb{"group delete", "NAME", "Delete a group that has no users or policies.", "DeleteGroup", "GroupName",
                ""},
    AccountVerb{"group list", "", "List the groups and their ARNs.", "ListGroups", "", "GroupName Arn"},
    AccountVerb{"group show", "NAME", "Show a group's users and policies.",
                "GetGroup ListGroupPolicies ListAttachedGroupPolicies", "GroupName", ""},
    AccountVerb{"group add", "GROUP USER", "Add a user to a group.", "AddUserToGroup", "GroupName UserName", ""},
    AccountVerb{"group remove", "GROUP USER", "Remove a user from a group.", "RemoveUserFromGroup",
                "GroupName UserName", ""},
    AccountVerb{"role create", "NAME FILE", "Create a role. FILE is its trust policy, which names who may assume it.",
                "CreateRole", "RoleName @AssumeRolePolicyDocument", "Arn"},
    AccountVerb{"role delete", "NAME", "Delete a role that has no policies. Its sessions end.", "DeleteRole",
                "RoleName", ""},
    AccountVerb{"role list", "", "List the roles and their ARNs.", "ListRoles", "", "RoleName Arn"},
    AccountVerb{"role show", "NAME", "Show a role and its policies.",
                "GetRole ListRolePolicies ListAttachedRolePolicies", "RoleName", ""},
    AccountVerb{"policy create", "NAME FILE",
                "Create a managed policy, which can be attached to users, groups and roles.", "CreatePolicy",
                "PolicyName @PolicyDocument", "Arn"},
    AccountVerb{"policy delete", "POLICY", "Delete a managed policy that is not attached.", "DeletePolicy", "PolicyArn",
                ""},
    AccountVerb{"policy list", "", "List the managed policies: ARN and number of attachments.", "ListPolicies", "",
                "Arn AttachmentCount"},
    AccountVerb{
        "policy attach", "user|group|role NAME POLICY",
        "Attach a managed policy to a user, a group or a role. POLICY is its ARN, or the name of a policy of your own.",
        "Attach{}Policy", "KIND {}Name PolicyArn", ""},
    AccountVerb{"policy detach", "user|group|role NAME POLICY",
                "Detach a managed policy from a user, a group or a role.", "Detach{}Policy", "KIND {}Name PolicyArn",
                ""},
    AccountVerb{"policy put", "user|group|role NAME POLICY FILE",
                "Write an inline policy of a user, a group or a role. FILE is the policy document.", "Put{}Policy",
                "KIND {}Name PolicyName @PolicyDocument", ""},
    AccountVerb{"policy remove", "user|group|role NAME POLICY", "Delete an inline policy of a user, a group or a role.",
                "Delete{}Policy", "KIND {}Name PolicyName", ""},
};

using Words = std::vector<std::string_view>;

Words split_words(std::string_view text) {
  Words words;
  auth::split(text, ' ', [&](std::string_view word) { words.push_back(word); });
  return words;
}

Error wrong(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

std::string with_kind(std::string_view text, std::string_view kind) {
  std::string whole(text);
  if (const size_t at = whole.find("{}"); at != std::string::npos) whole.replace(at, 2, kind);
  return whole;
}

Result<std::string> kind_named(std::string_view word) {
  if (word == "user") return std::string("User");
  if (word == "group") return std::string("Group");
  if (word == "role") return std::string("Role");
  return wrong("A policy belongs to a user, a group or a role, not to '" + std::string(word) + "'.");
}

// --- replies: elements of plain names, one in the other, as iam writes them

std::string plain(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kEscapes = {
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#xD;", '\r'}}};
  std::string out;
  while (!text.empty()) {
    const auto* const found =
        std::ranges::find_if(kEscapes, [&](const auto& one) { return text.starts_with(one.first); });
    out.push_back(found == kEscapes.end() ? text.front() : found->second);
    text.remove_prefix(found == kEscapes.end() ? 1 : found->first.size());
  }
  return out;
}

struct Leaf {
  std::string_view name;
  std::string text;
};

// Those that hold text and no elements. A member that does has the name of the list.
std::vector<Leaf> leaves_of(std::string_view xml) {
  std::vector<Leaf> leaves;
  Words open;
  while (!xml.empty()) {
    const size_t begin = xml.find('<');
    const size_t end = xml.find('>', begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    const std::string_view tag = xml.substr(begin + 1, end - begin - 1);
    const bool closes = tag.starts_with('/');
    const std::string_view name = tag.substr(closes ? 1 : 0, tag.find(' '));
    const size_t next = xml.find('<', end);
    const bool leaf = !closes && next != std::string_view::npos && xml.substr(next + 1).starts_with('/');
    if (leaf) {
      std::string text = plain(xml.substr(end + 1, next - end - 1));
      if (name.ends_with("Document")) text = auth::decode_percent(text);
      leaves.push_back({name == "member" && !open.empty() ? open.back() : name, std::move(text)});
    }
    if (!closes) open.push_back(name);
    if (closes && !open.empty()) open.pop_back();
    xml.remove_prefix(end + 1);
  }
  return leaves;
}

std::string text_in(const std::vector<Leaf>& leaves, std::string_view name) {
  const auto found = std::ranges::find(leaves, name, &Leaf::name);
  return found == leaves.end() ? std::string() : found->text;
}

void print_profile(const ProfileKey& key) {
  std::printf("[%s]\naws_access_key_id = %s\naws_secret_access_key = %s\n", key.profile.c_str(), key.id.c_str(),
              key.secret.c_str());
}

ProfileKey key_in(const std::vector<Leaf>& leaves) {
  return {text_in(leaves, "UserName"), text_in(leaves, "AccessKeyId"), text_in(leaves, "SecretAccessKey")};
}

// Whether the file could take a key of that profile, before one is made.
Result<void> check_credentials_file(const std::string& path, const std::string& profile) {
  PARTITA_TRY(const std::string text, read_credentials_file(path));
  std::string replaced;
  const auto possible = with_key(text, {profile, {}, {}}, replaced);
  if (!possible.ok()) return wrong(path + ": " + std::string(possible.error().sentence()));
  return {};
}

// A key that cannot be kept in the file is printed, as nobody can ask for its secret again.
Result<void> keep(const std::string& path, const ProfileKey& key, const std::string& server) {
  std::string replaced;
  auto written = put_in_credentials_file(path, key, replaced);
  if (!written.ok()) {
    print_profile(key);
    return written;
  }
  std::printf("%s is the key of the profile [%s] in %s.\n", key.id.c_str(), key.profile.c_str(), path.c_str());
  if (others_can_read(path)) {
    std::fprintf(stderr,
                 "partita: Other users can read %s, which holds the secret of this key. To keep it to its owner: chmod "
                 "600 %s\n",
                 path.c_str(), path.c_str());
  }
  if (!replaced.empty()) {
    std::printf("It replaces %s there, which still works. Delete that key when no client uses it any more:\n",
                replaced.c_str());
    std::printf("partita user key delete %s %s --data %s\n", key.profile.c_str(), replaced.c_str(), server.c_str());
  }
  return {};
}

// `apart`: from what was printed before.
void print(const AccountVerb& verb, std::string_view reply, bool apart) {
  const std::vector<Leaf> leaves = leaves_of(reply.substr(0, reply.find("<ResponseMetadata>")));
  if (verb.shown == "[UserName]") {
    print_profile(key_in(leaves));
    return;
  }
  const Words shown = split_words(verb.shown);
  // An empty list is a leaf too.
  const auto says = [](const Leaf& leaf) { return leaf.name != "IsTruncated" && !leaf.text.empty(); };
  if (apart && std::ranges::any_of(leaves, says)) std::printf("\n");
  for (const Leaf& leaf : leaves) {
    if (shown.empty() && says(leaf)) {
      std::printf("%s\t%s\n", std::string(leaf.name).c_str(), leaf.text.c_str());
    }
    if (std::ranges::find(shown, leaf.name) == shown.end()) continue;
    std::printf("%s%s", leaf.text.c_str(), leaf.name == shown.back() ? "\n" : "\t");
  }
}

void add(std::string& body, std::string_view name, std::string_view value) {
  body.append("&").append(name).append("=").append(auth::encode_percent(value));
}

// The parameters that the words are; `kind` becomes what "{}" stands for.
Result<std::string> parameters_of(const AccountVerb& verb, const AccountOptions& options, std::string& kind) {
  std::string body;
  const Words names = split_words(verb.parameters);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& word = options.words[i];
    if (names[i] == "KIND") {
      PARTITA_TRY(kind, kind_named(word));
    } else if (names[i].starts_with('@')) {
      PARTITA_TRY(const std::string document, read_document(word));
      add(body, names[i].substr(1), document);
    } else if (names[i] == "PolicyArn") {
      add(body, names[i], word.starts_with("arn:") ? word : auth::policy_arn("/", word));
    } else {
      add(body, with_kind(names[i], kind), word);
    }
  }
  return body;
}

// What to do about an error: the policy that was perhaps meant, the key that has to go first.
std::string hint_of(const AccountVerb& verb, const AccountOptions& options, std::string_view error) {
  if (error.starts_with("Cannot exceed quota for AccessKeysPerUser")) {
    return ". `partita user show " + options.words[0] + "` lists the keys; delete one with `partita user key delete`.";
  }
  const Words names = split_words(verb.parameters);
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != "PolicyArn" || options.words[i].starts_with("arn:")) continue;
    for (const auto& [arn, policy] : auth::policies_of_aws()) {
      if (policy->name == options.words[i]) return " Name AWS's own policy by its ARN: " + arn + ".";
    }
  }
  return {};
}

const AccountVerb& verb_of(const AccountOptions& options) {
  return *std::ranges::find(kVerbs, std::string_view(options.verb), &AccountVerb::name);
}

}  // namespace

std::span<const AccountVerb> account_verbs() { return kVerbs; }

bool is_account_verb(std::string_view name) {
  return std::ranges::find(kVerbs, name, &AccountVerb::name) != kVerbs.end();
}

Result<void> check_account_verb(const AccountOptions& options) {
  const AccountVerb& verb = verb_of(options);
  if (options.words.size() == split_words(verb.parameters).size()) return {};
  const std::string takes = verb.arguments.empty() ? "nothing" : std::string(verb.arguments);
  return wrong("`partita " + std::string(verb.name) + "` takes " + takes + ".");
}

Result<void> run_account_verb(const AccountOptions& options) {
  const AccountVerb& verb = verb_of(options);
  std::string kind;
  PARTITA_TRY(const std::string parameters, parameters_of(verb, options, kind));
  if (!options.credentials_file.empty())
    PARTITA_TRY_VOID(check_credentials_file(options.credentials_file, options.words[0]));
  PARTITA_TRY(AdminClient client, AdminClient::connect(options.server));
  const Words calls = split_words(verb.calls);
  for (const std::string_view call : calls) {
    std::string marker;
    do {
      std::string body = "Action=" + with_kind(call, kind) + "&Version=2010-05-08" + parameters;
      if (!marker.empty()) add(body, "Marker", marker);
      PARTITA_TRY(const AdminClient::Answer answer, client.post("", "application/x-www-form-urlencoded", body));
      if (answer.status != 200) {
        const std::string error = text_in(leaves_of(answer.body), "Message");
        return wrong(error + hint_of(verb, options, error));
      }
      if (!options.credentials_file.empty())
        return keep(options.credentials_file, key_in(leaves_of(answer.body)), options.server);
      print(verb, answer.body, call != calls.front() && marker.empty());
      marker = text_in(leaves_of(answer.body), "Marker");
    } while (!marker.empty());
  }
  return {};
}

}  // namespace partita::cli
