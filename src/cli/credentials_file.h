// A client's file of access keys, such as ~/.aws/credentials.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::cli {

// All errors are kInvalid (reason 0), with one sentence that names the file.

struct ProfileKey {
  std::string profile;
  std::string id;
  std::string secret;
};

// Returns `text` with the key of its profile replaced, whose id is then in `replaced`, or with a new profile at the
// end. Everything else stays. Error, without a file's name: `text` has the profile twice.
Result<std::string> with_key(std::string_view text, const ProfileKey& key, std::string& replaced);

// The text of the file; empty if it does not exist. Error also if the file could not be written.
Result<std::string> read_credentials_file(const std::string& path);
// Whether the file exists and its group or everybody may read it.
bool others_can_read(const std::string& path);
// Changes the file as with_key() does, atomically and one process at a time. The file keeps its mode; only its owner
// may read a new one.
Result<void> put_in_credentials_file(const std::string& path, const ProfileKey& key, std::string& replaced);

}  // namespace partita::cli
