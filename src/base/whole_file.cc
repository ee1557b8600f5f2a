#include "base/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace partita {

Result<std::string> read_whole_file(const std::filesystem::path& file, std::string_view called) {
  std::string whole;
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t taken = descriptor < 0 ? -1 : 1;
  for (std::array<char, 4096> part; taken > 0;) {
    while ((taken = read(descriptor, part.data(), part.size())) < 0 && errno == EINTR) {
    }
    if (taken > 0) whole.append(part.data(), static_cast<size_t>(taken));
  }
  const int cause = errno;
  if (descriptor >= 0) close(descriptor);
  if (taken == 0) return whole;
  return Error(ErrorKind::kUnavailable, std::string(called) + " " + file.string() +
                                            " cannot be read: " + std::system_category().message(cause) + ".");
}

}  // namespace partita
