// Reads a file that may have unreadable sectors: they are returned as zeros and counted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"

namespace partita::rocks {

class DamagedFile {
 public:
  // Error: kUnavailable, with one sentence, if it is not a file or cannot be opened.
  static Result<std::unique_ptr<DamagedFile>> open(const std::filesystem::path& file);
  DamagedFile(int descriptor, uint64_t size) : descriptor_(descriptor), size_(size) {}
  ~DamagedFile();
  DamagedFile(const DamagedFile&) = delete;
  DamagedFile& operator=(const DamagedFile&) = delete;

  uint64_t size() const { return size_; }
  // Returns fewer bytes only at the end of the file.
  std::string read(uint64_t offset, uint64_t bytes);
  // Unreadable bytes so far, and the system's reason; empty if all could be read.
  uint64_t unread_bytes() const { return unread_; }
  const std::string& why() const { return why_; }

 private:
  const int descriptor_;
  const uint64_t size_;
  uint64_t unread_ = 0;
  std::string why_;
};

}  // namespace partita::rocks
