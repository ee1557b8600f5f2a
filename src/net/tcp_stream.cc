#include "net/tcp_stream.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"

namespace partita::net {

void Outbox::add(TcpStream& stream) {
  if (count_ == 0) call_.ask();
  stream.in_outbox_ = true;
  waiting_[count_++] = &stream;
  if (count_ == kTogether) send();
}

void Outbox::remove(TcpStream& stream) {
  stream.in_outbox_ = false;
  count_ = static_cast<size_t>(std::remove(waiting_.begin(), waiting_.begin() + count_, &stream) - waiting_.begin());
}

// What goes on may end other streams, and come back.
void Outbox::send() {
  sending_ = true;
  while (count_ > 0) {
    TcpStream* const first = waiting_[0];
    remove(*first);
    first->write_waiting();
  }
  sending_ = false;
}

void Turns::add(TcpStream& stream) {
  stream.behind_ = nullptr;
  (first_ == nullptr ? first_ : last_->behind_) = &stream;
  last_ = &stream;
  if (first_ == last_) call_.ask();
}

// The stream may come back, or end, before take_turn() returns.
void Turns::take_one() {
  TcpStream* const first = std::exchange(first_, first_->behind_);
  if (first_ != nullptr) call_.ask();
  first->take_turn();
}

// Who has gone by now leaves no address, and what it has sent is not carried out.
bool TcpStream::open() {
  const auto peer = Address::of_peer(socket_);
  if (peer) peer_ = *peer;
  return peer && loop_.watch(socket_, *this);
}

TcpStream::~TcpStream() {
  PARTITA_CHECK(!in_turn_);
  close();
}

// Resumes whoever waits; nothing of this stream may be touched after it.
void TcpStream::finish(Waiter*& waiter, size_t bytes) {
  Waiter& done = *std::exchange(waiter, nullptr);
  done.bytes = bytes;
  done.handle.resume();
}

void TcpStream::await_turn() {
  if (!std::exchange(in_turn_, true)) turns_.add(*this);
}

void TcpStream::take_turn() {
  in_turn_ = false;
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

// What is there already waits for its turn, so that nobody keeps the thread by sending on and on.
void TcpStream::start_read(std::span<char> into, bool bulky, Waiter& waiter) {
  into_ = into;
  bulky_ = bulky;
  reader_ = &waiter;
  if (readable_ || socket_ < 0) await_turn();
}

void TcpStream::read() {
  ssize_t size = 0;
  do {
    size = ::recv(socket_, into_.data(), into_.size(), 0);
  } while (size < 0 && errno == EINTR);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    readable_ = false;
    return;
  }
  const auto bytes = static_cast<size_t>(std::max<ssize_t>(size, 0));
  // Less than there was room for is all that there was.
  readable_ = ended_ || bytes == into_.size();
  finish(reader_, bytes);
}

void TcpStream::ready(bool readable, bool writable, bool ended) {
  readable_ = readable_ || readable;
  ended_ = ended_ || ended;
  if (writer_ != nullptr && writable) {
    if (!in_outbox_) write_waiting();
  } else if (reader_ != nullptr && readable_) {
    bulky_ ? await_turn() : in_turn_ ? void() : read();
  }
}

// --- writing
// ----------------------------------------------------------------------------------------------------------

ssize_t TcpStream::send_both() const {
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

TcpStream::Sent TcpStream::write_rest() {
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

void TcpStream::write_waiting() {
  const Sent sent = write_rest();
  if (sent != Sent::kFull) finish(writer_, sent == Sent::kAll ? written_ : 0);
}

// Almost every reply fits into the socket's buffer: then it costs one system call and no wait.
bool TcpStream::start_write(std::string_view first, std::string_view second, Waiter& waiter) {
  unwritten_ = {first, second};
  written_ = 0;
  if (socket_ >= 0 && turns_.outbox().takes()) {
    writer_ = &waiter;
    turns_.outbox().add(*this);
    return false;
  }
  const Sent sent = socket_ < 0 ? Sent::kBroken : write_rest();
  if (sent == Sent::kFull) {
    writer_ = &waiter;
    return false;
  }
  if (sent == Sent::kAll) waiter.bytes = written_;
  return true;
}

void TcpStream::shutdown(std::string_view last) {
  if (socket_ < 0) return;
  if (!last.empty()) static_cast<void>(!::send(socket_, last.data(), last.size(), MSG_NOSIGNAL));
  ::shutdown(socket_, SHUT_WR);
}

// Who has only ended what he sends still waits for the reply, and that is no hangup.
bool TcpStream::gone() const {
  pollfd one{.fd = socket_, .events = 0, .revents = 0};
  return socket_ < 0 || (::poll(&one, 1, 0) > 0 && (one.revents & (POLLHUP | POLLERR)) != 0);
}

void TcpStream::close() {
  if (socket_ < 0) return;
  loop_.unwatch(socket_, *this);
  ::close(std::exchange(socket_, -1));
  if (in_outbox_) turns_.outbox().remove(*this);
  if (reader_ != nullptr || writer_ != nullptr) await_turn();
}

}  // namespace partita::net
