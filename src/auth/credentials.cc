#include "auth/credentials.h"

#include <algorithm>
#include <array>
#include <utility>

#include "auth/identities.h"
#include "auth/text_util.h"

namespace partita::auth {

namespace {

// What such files also hold, and means nothing to a server.
constexpr std::array<std::string_view, 3> kOfClients = {"region", "output", "cli_pager"};

Error wrong(size_t line, std::string_view what) {
  return Error(ErrorKind::kInvalid, "Line " + std::to_string(line) + " of the credentials " + std::string(what));
}

// One profile while it is read.
struct Profile {
  size_t line = 0;  // of its name; 0: none has begun
  std::string name;
  AccessKey key;
};

Result<void> take_setting(Profile& profile, std::string_view setting, size_t line) {
  const size_t equals = setting.find('=');
  if (equals == std::string_view::npos) return wrong(line, "is neither [a profile] nor NAME = VALUE.");
  if (profile.line == 0) return wrong(line, "stands before the first [profile].");
  const std::string_view name = trim(setting.substr(0, equals));
  const std::string_view value = trim(setting.substr(equals + 1));
  if (std::ranges::find(kOfClients, name) != kOfClients.end()) return {};
  std::string* const into = name == "aws_access_key_id"       ? &profile.key.id
                            : name == "aws_secret_access_key" ? &profile.key.secret
                            : name == "aws_session_token"     ? &profile.key.session_token
                                                              : nullptr;
  if (into == nullptr) return wrong(line, "sets " + std::string(name) + ", which a server cannot use.");
  if (value.empty()) return wrong(line, "gives " + std::string(name) + " no value.");
  if (!into->empty()) return wrong(line, "sets " + std::string(name) + " again.");
  *into = value;
  return {};
}

}  // namespace

Result<Credentials> Credentials::parse(std::string_view text) {
  Credentials credentials;
  Profile profile;
  const auto finish = [&]() -> Result<void> {
    if (profile.line == 0) return {};
    if (profile.key.id.empty() || profile.key.secret.empty()) {
      const std::string lacks = profile.key.id.empty() ? "aws_access_key_id" : "aws_secret_access_key";
      return wrong(profile.line, "begins [" + profile.name + "], which has no " + lacks + ".");
    }
    if (profile.key.id.find('/') != std::string::npos) {
      return wrong(profile.line, "begins [" + profile.name + "], whose aws_access_key_id has a slash in it.");
    }
    std::string id = profile.key.id;
    profile.key.profile = profile.name;
    if (!credentials.keys_.emplace(std::move(id), std::move(profile.key)).second) {
      return wrong(profile.line, "begins [" + profile.name + "], whose aws_access_key_id another profile has.");
    }
    return {};
  };
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    const std::string_view line = trim(whole.substr(0, whole.size() - (whole.ends_with('\r') ? 1 : 0)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() != '[') {
      PARTITA_TRY_VOID(take_setting(profile, line, number));
      continue;
    }
    if (line.back() != ']' || trim(line.substr(1, line.size() - 2)).empty()) {
      return wrong(number, "begins a profile without a name in brackets.");
    }
    PARTITA_TRY_VOID(finish());
    profile = {number, std::string(trim(line.substr(1, line.size() - 2))), {}};
  }
  PARTITA_TRY_VOID(finish());
  if (credentials.keys_.empty()) return Error(ErrorKind::kInvalid, "The credentials hold no profile.");
  return credentials;
}

Result<void> Credentials::bind(const Identities& identities) {
  constexpr std::string_view kRoot = "root";
  for (auto& [id, key] : keys_) {
    if (key.profile == kRoot && identities.find(kRoot) == nullptr) continue;
    if (key.profile == kRoot) {
      return Error(ErrorKind::kInvalid,
                   "The profile [root] of the credentials may do everything, and a user of that name may not.");
    }
    key.identity = identities.find(key.profile);
    if (key.identity != nullptr) continue;
    return Error(ErrorKind::kInvalid,
                 "The profile [" + key.profile + "] of the credentials is no user, and not [root].");
  }
  return {};
}

const AccessKey* Credentials::find(std::string_view id) const {
  const auto found = keys_.find(id);
  return found == keys_.end() ? nullptr : &found->second;
}

const AccessKey* Credentials::of_client() const {
  for (const auto& [id, key] : keys_) {
    if (key.profile == "default") return &key;
  }
  return keys_.size() == 1 ? &keys_.begin()->second : nullptr;
}

std::shared_ptr<const AccessKey> Credentials::find(std::string_view id, std::string_view) const {
  return {std::shared_ptr<const void>(), find(id)};
}

}  // namespace partita::auth
