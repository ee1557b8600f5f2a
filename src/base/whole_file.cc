#include "base/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

namespace partita {

namespace {

Error unreadable(const std::filesystem::path& file, std::string_view called, const std::string& why) {
  return Error(ErrorKind::kUnavailable, std::string(called) + " " + file.string() + " cannot be read: " + why + ".");
}

// Closes the descriptor; a negative one is an error that errno names. At most one part more than `most`.
Result<std::string> read_all(int descriptor, size_t most, const std::filesystem::path& file, std::string_view called) {
  std::string whole;
  ssize_t taken = descriptor < 0 ? -1 : 1;
  for (std::array<char, 4096> part; taken > 0 && whole.size() <= most;) {
    while ((taken = read(descriptor, part.data(), part.size())) < 0 && errno == EINTR) {
    }
    if (taken > 0) whole.append(part.data(), static_cast<size_t>(taken));
  }
  const int cause = errno;
  if (descriptor >= 0) close(descriptor);
  if (taken < 0) return unreadable(file, called, std::system_category().message(cause));
  return whole;
}

}  // namespace

Result<std::string> read_whole_file(const std::filesystem::path& file, std::string_view called) {
  return read_all(open(file.c_str(), O_RDONLY | O_CLOEXEC), SIZE_MAX, file, called);
}

Result<std::string> read_regular_file(const std::filesystem::path& file, size_t most, std::string_view called) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat found{};
  const bool is_known = descriptor >= 0 && fstat(descriptor, &found) == 0;
  // A directory is what read() says.
  if (is_known && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) {
    close(descriptor);
    return unreadable(file, called, "It is no regular file");
  }
  PARTITA_TRY(std::string whole, read_all(descriptor, most, file, called));
  if (whole.size() <= most) return whole;
  return unreadable(file, called, "It has more than " + std::to_string(most) + " bytes");
}

}  // namespace partita
