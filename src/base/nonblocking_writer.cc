#include "base/nonblocking_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace partita {

NonblockingWriter::~NonblockingWriter() {
  if (own_ >= 0) ::close(own_);
}

// A regular file is written as it is: a second descriptor would have a place of its own in it.
void NonblockingWriter::find_mode() {
  struct stat now{};
  const bool there = ::fstat(file_, &now) == 0;
  if (there && known_ && now.st_dev == device_ && now.st_ino == inode_) return;
  known_ = there;
  device_ = now.st_dev;
  inode_ = now.st_ino;
  if (own_ >= 0) ::close(std::exchange(own_, -1));
  mode_ = WriteMode::kPlain;
  if (S_ISSOCK(now.st_mode)) mode_ = WriteMode::kSocket;
  if (!S_ISFIFO(now.st_mode) && !S_ISCHR(now.st_mode)) return;
  char path[32];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", file_);
  own_ = ::open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  mode_ = own_ >= 0 ? WriteMode::kOwnDescriptor : WriteMode::kPolled;
}

bool NonblockingWriter::takes_now() const {
  pollfd one{file_, POLLOUT, 0};
  return ::poll(&one, 1, 0) > 0;
}

ssize_t NonblockingWriter::write(std::string_view bytes) {
  find_mode();
  if (mode_ == WriteMode::kPolled && !takes_now()) {
    errno = EAGAIN;
    return -1;
  }
  ssize_t written = 0;
  do {
    written = mode_ == WriteMode::kSocket ? ::send(file_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                                          : ::write(own_ >= 0 ? own_ : file_, bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  return written;
}

}  // namespace partita
