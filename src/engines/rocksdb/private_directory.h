// Directories of stores and of backups.
#pragma once

#include <filesystem>
#include <system_error>

namespace partita::rocks {

// Makes the directory, and those above it, unless it is there: for this user alone, since stores hold secrets as they
// are. The error of the system, if there is one.
inline std::error_code make_private_directory(const std::filesystem::path& directory) {
  std::error_code failed;
  if (std::filesystem::create_directories(directory, failed)) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, failed);
  }
  return failed;
}

}  // namespace partita::rocks
