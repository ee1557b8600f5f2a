#include "engines/rocksdb/damaged_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace partita::rocks {

namespace {

constexpr uint64_t kReadBytes = uint64_t{1} << 20;
constexpr uint64_t kLeastReadBytes = 4096;

}  // namespace

Result<std::unique_ptr<DamagedFile>> DamagedFile::open(const std::filesystem::path& file) {
  const std::string name = file.filename();
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) {
    return Error(ErrorKind::kUnavailable, "The file " + name + " is no file.");
  }
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const uintmax_t size = descriptor < 0 ? 0 : std::filesystem::file_size(file, failed);
  if (descriptor >= 0 && !failed) return std::make_unique<DamagedFile>(descriptor, size);
  const int cause = errno;
  if (descriptor >= 0) close(descriptor);
  return Error(ErrorKind::kUnavailable, "The file " + name + " cannot be opened: " + std::strerror(cause) + ".");
}

DamagedFile::~DamagedFile() { close(descriptor_); }

std::string DamagedFile::read(uint64_t offset, uint64_t bytes) {
  if (offset >= size_) return {};
  std::string out(std::min(bytes, size_ - offset), '\0');
  for (uint64_t at = 0; at < out.size();) {
    const auto place = static_cast<off_t>(offset + at);
    const uint64_t to_sector = kLeastReadBytes - (offset + at) % kLeastReadBytes;
    ssize_t count = pread(descriptor_, out.data() + at, std::min(out.size() - at, kReadBytes), place);
    if (count < 0) count = pread(descriptor_, out.data() + at, std::min(out.size() - at, to_sector), place);
    if (count < 0) {
      why_ = std::strerror(errno);
      count = static_cast<ssize_t>(std::min(out.size() - at, to_sector));
      unread_ += static_cast<uint64_t>(count);
    }
    if (count == 0) {  // it became shorter
      out.resize(at);
      break;
    }
    at += static_cast<uint64_t>(count);
  }
  return out;
}

}  // namespace partita::rocks
