#include "net/socket_stream.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"

namespace partita::net {

void WriteBatcher::add(SocketStream& stream) {
  if (count_ == 0) async_.send();
  stream.batched_ = true;
  waiting_[count_++] = &stream;
  if (count_ == kTogether) send();
}

void WriteBatcher::remove(SocketStream& stream) {
  stream.batched_ = false;
  count_ = static_cast<size_t>(std::remove(waiting_.begin(), waiting_.begin() + count_, &stream) - waiting_.begin());
}

// A resumed coroutine may close other streams, or add its own again.
void WriteBatcher::send() {
  sending_ = true;
  while (count_ > 0) {
    SocketStream* const first = waiting_[0];
    remove(*first);
    first->write_waiting();
  }
  sending_ = false;
}

void ReadScheduler::add(SocketStream& stream) {
  stream.next_ = nullptr;
  (first_ == nullptr ? first_ : last_->next_) = &stream;
  last_ = &stream;
  if (first_ == last_) async_.send();
}

// The stream may be added again, or end, before resume_read() returns.
void ReadScheduler::resume_one() {
  SocketStream* const first = std::exchange(first_, first_->next_);
  if (first_ != nullptr) async_.send();
  first->resume_read();
}

// A peer that has gone by now has no address, and its request is not carried out.
bool SocketStream::open() {
  const auto peer = Address::of_peer(socket_);
  if (peer) peer_ = *peer;
  return peer && loop_.watch(socket_, *this);
}

SocketStream::~SocketStream() {
  PARTITA_CHECK(!scheduled_);
  close();
}

// Resumes the coroutine that waits. It may destroy this stream.
void SocketStream::finish(PendingIo*& io, size_t bytes) {
  PendingIo& done = *std::exchange(io, nullptr);
  done.bytes = bytes;
  done.handle.resume();
}

std::optional<Address> SocketStream::local() const {
  if (socket_ < 0) return std::nullopt;
  const Address address = Address::of_socket(socket_);
  return address.bytes().empty() ? std::nullopt : std::optional(address);
}

void SocketStream::schedule() {
  if (!std::exchange(scheduled_, true)) queues_.reads.add(*this);
}

void SocketStream::resume_read() {
  scheduled_ = false;
  if (socket_ >= 0) {
    if (reader_ != nullptr) read();
  } else if (reader_ != nullptr) {
    finish(reader_, 0);
  } else if (writer_ != nullptr) {
    finish(writer_, 0);
  }
}

// --- reading
// ----------------------------------------------------------------------------------------------------------

// Bytes that are there already are read in a later iteration, so that a client that keeps sending cannot occupy the
// thread.
void SocketStream::start_read(std::span<char> into, bool bulky, PendingIo& io) {
  into_ = into;
  bulky_ = bulky;
  reader_ = &io;
  if (readable_ || socket_ < 0) schedule();
}

void SocketStream::read() {
  ssize_t size = 0;
  do {
    size = ::recv(socket_, into_.data(), into_.size(), 0);
  } while (size < 0 && errno == EINTR);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    readable_ = false;
    return;
  }
  const auto bytes = static_cast<size_t>(std::max<ssize_t>(size, 0));
  // A short read leaves nothing behind.
  readable_ = ended_ || bytes == into_.size();
  finish(reader_, bytes);
}

void SocketStream::ready(bool readable, bool writable, bool ended) {
  readable_ = readable_ || readable;
  ended_ = ended_ || ended;
  if (writer_ != nullptr && writable) {
    if (!batched_) write_waiting();
  } else if (reader_ != nullptr && readable_) {
    bulky_ ? schedule() : scheduled_ ? void() : read();
  }
}

// --- writing
// ----------------------------------------------------------------------------------------------------------

ssize_t SocketStream::send_both() const {
  const auto& [first, second] = unwritten_;
  if (second.empty()) return ::send(socket_, first.data(), first.size(), MSG_NOSIGNAL);
  std::array<iovec, 2> pieces{};
  for (size_t i = 0; i < pieces.size(); ++i) {
    pieces[i] = {const_cast<char*>(unwritten_[i].data()), unwritten_[i].size()};
  }
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  return ::sendmsg(socket_, &message, MSG_NOSIGNAL);
}

SocketStream::Sent SocketStream::write_rest() {
  while (!unwritten_[0].empty() || !unwritten_[1].empty()) {
    const ssize_t size = send_both();
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Sent::kFull : Sent::kBroken;
    const auto sent = static_cast<size_t>(size);
    const size_t of_first = std::min(sent, unwritten_[0].size());
    unwritten_[0].remove_prefix(of_first);
    unwritten_[1].remove_prefix(sent - of_first);
    written_ += sent;
  }
  return Sent::kAll;
}

void SocketStream::write_waiting() {
  const Sent sent = write_rest();
  if (sent != Sent::kFull) finish(writer_, sent == Sent::kAll ? written_ : 0);
}

// Almost every reply fits into the socket's buffer: then it costs one system call and no wait.
bool SocketStream::start_write(std::string_view first, std::string_view second, PendingIo& io) {
  unwritten_ = {first, second};
  written_ = 0;
  if (socket_ >= 0 && queues_.writes.batches()) {
    writer_ = &io;
    queues_.writes.add(*this);
    return false;
  }
  const Sent sent = socket_ < 0 ? Sent::kBroken : write_rest();
  if (sent == Sent::kFull) {
    writer_ = &io;
    return false;
  }
  if (sent == Sent::kAll) io.bytes = written_;
  return true;
}

void SocketStream::shutdown(std::string_view last) {
  if (socket_ < 0) return;
  if (!last.empty()) static_cast<void>(!::send(socket_, last.data(), last.size(), MSG_NOSIGNAL));
  ::shutdown(socket_, SHUT_WR);
}

// A peer that has only shut down its sending side still waits for the reply; that is no hangup.
bool SocketStream::closed_by_peer() const {
  pollfd one{.fd = socket_, .events = 0, .revents = 0};
  return socket_ < 0 || (::poll(&one, 1, 0) > 0 && (one.revents & (POLLHUP | POLLERR)) != 0);
}

void SocketStream::close() {
  if (socket_ < 0) return;
  loop_.unwatch(socket_, *this);
  ::close(std::exchange(socket_, -1));
  if (batched_) queues_.writes.remove(*this);
  if (reader_ != nullptr || writer_ != nullptr) schedule();
}

}  // namespace partita::net
