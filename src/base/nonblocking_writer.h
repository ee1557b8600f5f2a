// Writes to stdout or stderr without waiting for the reader, which may be a pipe whose reader stopped, a halted
// terminal, or a full socket. The descriptor itself stays blocking, because other programs may share it.
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

  // The largest write that a pipe accepts atomically.
  static constexpr size_t kMostAtOnce = 4096;
  // Writes at most kMostAtOnce bytes. Returns the number of bytes written, or -1 with errno: EAGAIN if nothing can be
  // written now, otherwise the error. If neither a second descriptor nor a per-call flag is available, a concurrent
  // write by another program to the same pipe may make it wait.
  ssize_t write(std::string_view bytes);

 private:
  enum class WriteMode : uint8_t { kPlain, kSocket, kOwnDescriptor, kPolled };
  void find_mode();
  bool takes_now() const;

  const int file_;
  WriteMode mode_ = WriteMode::kPlain;
  int own_ = -1;
  // The file that `file_` referred to when the mode was chosen; tests replace it.
  bool known_ = false;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace partita
