#include "sinks/secret_file.h"

#include <sys/stat.h>

#include "base/whole_file.h"

namespace partita::sinks {

Result<std::string> read_secret_file(const std::string& file, std::string_view what) {
  struct stat found{};
  if (::stat(file.c_str(), &found) == 0 && (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return Error(ErrorKind::kUnavailable,
                 std::string(what) + " " + file + " can be read by others than its owner: chmod 600 " + file + ".");
  }
  constexpr size_t kMostSecretBytes = 65'536;
  return read_regular_file(file, kMostSecretBytes, what);
}

std::string_view first_line(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace partita::sinks
