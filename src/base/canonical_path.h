// A path as it is called wherever it is named.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace partita {

// From the root on, with links followed as far as there is anything. What cannot be had so is as far as it can.
inline std::string canonical_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path from_root = std::filesystem::absolute(path, failed);
  if (failed) return path;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(from_root, failed);
  return failed ? from_root.string() : whole.string();
}

}  // namespace partita
