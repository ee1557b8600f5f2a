// The access keys whose signatures are believed.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::auth {

struct Identity;
class Identities;

struct AccessKey {
  std::string id;
  std::string secret;
  std::string session_token;  // that each request must carry; empty: none may
  std::string profile = {};
  const Identity* identity = nullptr;  // whose it is; null: it may do everything
};

class Credentials {
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
  size_t size() const { return keys_.size(); }

 private:
  std::map<std::string, AccessKey, std::less<>> keys_;
};

}  // namespace partita::auth
