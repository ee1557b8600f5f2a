// Access keys from a file.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "auth/keys.h"
#include "base/result.h"

namespace partita::auth {

class Identities;

class Credentials final : public Keys {
 public:
  // Parses a file in the format of ~/.aws/credentials: profiles in brackets, each with aws_access_key_id,
  // aws_secret_access_key and optionally aws_session_token. Profile names have no meaning before bind(). Error:
  // kInvalid (reason 0), with one sentence that names the line, never a secret.
  static Result<Credentials> parse(std::string_view text);

  // Assigns each key to the user that its profile names. Keys of the profile "root" may do everything. The identities
  // must outlive the credentials. Error: as above, if there is no such user.
  Result<void> bind(const Identities& identities);

  // Null if unknown.
  const AccessKey* find(std::string_view id) const;
  // The key that a client uses that names no profile: that of the profile "default", or of the only one. Null: neither.
  const AccessKey* of_client() const;

  // The key is valid as long as this object.
  std::shared_ptr<const AccessKey> find(std::string_view id, std::string_view session_token) const override;
  uint64_t revision() const override { return 0; }
  int64_t now_ms() const override { return 0; }
  size_t size() const override { return keys_.size(); }

 private:
  std::map<std::string, AccessKey, std::less<>> keys_;
};

}  // namespace partita::auth
