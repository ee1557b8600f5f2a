// Creates the directories of stores and of backups.
#pragma once

#include <filesystem>
#include <system_error>

namespace partita::rocks {

// Creates the directory and its parents if they do not exist, accessible only to this user, since stores contain
// secrets unencrypted. Returns the system's error, if any.
inline std::error_code make_private_directory(const std::filesystem::path& directory) {
  std::error_code failed;
  if (std::filesystem::create_directories(directory, failed)) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, failed);
  }
  return failed;
}

}  // namespace partita::rocks
