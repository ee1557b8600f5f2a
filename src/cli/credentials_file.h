// A client's file of access keys, such as ~/.aws/credentials.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::cli {

// Errors of all: kInvalid (reason 0), with one sentence; of files, that names the file.

struct ProfileKey {
  std::string profile;
  std::string id;
  std::string secret;
};

// `text` with that key as the one of its profile: in the place of the one that the profile has, whose id is then in
// `replaced`, or in a new profile at the end. All else in it stays. Error: the profile is there twice.
Result<std::string> with_key(std::string_view text, const ProfileKey& key, std::string& replaced);

// The text of the file; empty when there is none yet. Error also when it could not be written.
Result<std::string> read_credentials_file(const std::string& path);
// Whether the mode of the file lets its group or everybody read it. False when there is none.
bool others_can_read(const std::string& path);
// Puts the key into the file as with_key() does, one program behind the other. The file is replaced at once and keeps
// its mode; a new one is for its owner alone.
Result<void> put_in_credentials_file(const std::string& path, const ProfileKey& key, std::string& replaced);

}  // namespace partita::cli
