// Access keys that a file holds.
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
  // From the text of a file as the AWS CLI and the SDKs keep it in ~/.aws/credentials: profiles in brackets, each with
  // aws_access_key_id, aws_secret_access_key and perhaps aws_session_token; their names mean nothing before
  // bind(). Error: kInvalid (reason 0), with one sentence that names the line, never a secret.
  static Result<Credentials> parse(std::string_view text);

  // Makes each key that of the user whom its profile names; those of the profile "root" may do everything. The
  // identities outlive the credentials. Error: as above, when there is no such user.
  Result<void> bind(const Identities& identities);

  // Null for an unknown one.
  const AccessKey* find(std::string_view id) const;

  // What find() returns is as long-lived as this object.
  std::shared_ptr<const AccessKey> find(std::string_view id, std::string_view session_token) const override;
  uint64_t revision() const override { return 0; }
  int64_t now_ms() const override { return 0; }
  size_t size() const override { return keys_.size(); }

 private:
  std::map<std::string, AccessKey, std::less<>> keys_;
};

}  // namespace partita::auth
