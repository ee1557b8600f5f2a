// Writes to stdout or stderr that never wait for whoever reads them: a pipe whose reader stopped, a terminal that was
// halted, a full socket. The descriptor itself stays blocking, because other programs may share it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

namespace partita {

// For one thread at a time.
class NonblockingWriter {
 public:
  explicit NonblockingWriter(int file) : file_(file) {}
  NonblockingWriter(const NonblockingWriter&) = delete;
  NonblockingWriter& operator=(const NonblockingWriter&) = delete;
  ~NonblockingWriter();

  // What a pipe takes whole or not at all.
  static constexpr size_t kMostAtOnce = 4096;
  // Of at most kMostAtOnce bytes. How many were written; -1 with errno EAGAIN when none could be for now, or with the
  // error. Where neither a second descriptor nor a flag of one call is available, another program that writes to the
  // same pipe in the same moment may make it wait.
  ssize_t write(std::string_view bytes);

 private:
  enum class Way : uint8_t { kPlain, kSocket, kOwnDescriptor, kPolled };
  void find_way();
  bool takes_now() const;

  const int file_;
  Way way_ = Way::kPlain;
  int own_ = -1;
  // What `file_` was when the way was found; tests put another file there.
  bool known_ = false;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace partita
