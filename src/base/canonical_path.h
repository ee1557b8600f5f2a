// The form of a path in all messages.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace partita {

// The absolute path, with symbolic links resolved in the part that exists. If a step fails, the result of the step
// before it.
inline std::string canonical_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path from_root = std::filesystem::absolute(path, failed);
  if (failed) return path;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(from_root, failed);
  return failed ? from_root.string() : whole.string();
}

}  // namespace partita
