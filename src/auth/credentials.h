// The access keys whose signatures are believed.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::auth {

struct AccessKey {
  std::string id;
  std::string secret;
  std::string session_token;  // that each request must carry; empty: none may
};

class Credentials {
 public:
  // From the text of a file as the AWS CLI and the SDKs keep it in ~/.aws/credentials: profiles in brackets, each with
  // aws_access_key_id, aws_secret_access_key and perhaps aws_session_token; their names mean nothing here. Error:
  // kInvalid (reason 0), with one sentence that names the line, never a secret.
  static Result<Credentials> parse(std::string_view text);

  // Null for an unknown one.
  const AccessKey* find(std::string_view id) const;
  size_t size() const { return keys_.size(); }

 private:
  std::map<std::string, AccessKey, std::less<>> keys_;
};

}  // namespace partita::auth
