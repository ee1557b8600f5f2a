#include "base/poll_wakeup.h"

#include <fcntl.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/eventfd.h>
#endif

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/check.h"

namespace partita {

namespace {

// Both ends, which do not block and which exec() closes. False: there are none.
bool open_ends(int& read_end, int& write_end) {
#if defined(__linux__)
  read_end = write_end = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return read_end >= 0;
#else
  int ends[2];
  if (pipe(ends) != 0) return false;
  read_end = ends[0];
  write_end = ends[1];
  for (const int end : ends) {
    if (fcntl(end, F_SETFD, FD_CLOEXEC) != 0 || fcntl(end, F_SETFL, O_NONBLOCK) != 0) return false;
  }
  return true;
#endif
}

}  // namespace

Result<PollWakeup> PollWakeup::open() {
  PollWakeup opened;
  if (open_ends(opened.read_end_, opened.write_end_)) return opened;
  return Error(ErrorKind::kUnavailable, "No file descriptor could be had: " + std::system_category().message(errno) +
                                            ". If too many are open, raise the limit (ulimit -n).");
}

PollWakeup::PollWakeup(PollWakeup&& other) noexcept
    : read_end_(std::exchange(other.read_end_, -1)), write_end_(std::exchange(other.write_end_, -1)) {}

PollWakeup& PollWakeup::operator=(PollWakeup&& other) noexcept {
  std::swap(read_end_, other.read_end_);
  std::swap(write_end_, other.write_end_);
  return *this;
}

PollWakeup::~PollWakeup() {
  if (write_end_ != read_end_ && write_end_ >= 0) ::close(write_end_);
  if (read_end_ >= 0) ::close(read_end_);
}

// If it is full, it is readable already.
void PollWakeup::wake() const {
  const uint64_t one = 1;
  PARTITA_CHECK(::write(write_end_, &one, sizeof one) == sizeof one || errno == EAGAIN);
}

// An eventfd gives 8 bytes however often it was written; a pipe gives all, in several pieces if necessary.
void PollWakeup::clear() const {
  std::array<char, 512> ignored;
  while (::read(read_end_, ignored.data(), ignored.size()) == static_cast<ssize_t>(ignored.size())) continue;
}

}  // namespace partita
