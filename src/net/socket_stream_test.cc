#include "net/socket_stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/task.h"

namespace partita::net {
namespace {

// A stream on a loop, and the other end of its connection.
struct Pair {
  Pair(Loop& loop, StreamQueues& queues) {
    std::array<int, 2> sockets{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sockets.data()), 0);
    client = sockets[0];
    stream = std::make_unique<SocketStream>(sockets[1], loop, queues);
    EXPECT_TRUE(stream->open());
  }
  ~Pair() { ::close(client); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  void ask() const { EXPECT_EQ(::send(client, "?", 1, 0), 1); }
  bool has_reply() const {
    char byte = 0;
    return ::recv(client, &byte, 1, MSG_PEEK) == 1;
  }
  // All that came, up to the end.
  std::string replies() const {
    std::string all;
    std::array<char, 65536> some{};
    for (ssize_t size = 0; (size = ::recv(client, some.data(), some.size(), 0)) > 0;) {
      all.append(some.data(), static_cast<size_t>(size));
    }
    return all;
  }

  int client = -1;
  std::unique_ptr<SocketStream> stream;
};

class SocketStreams : public testing::Test {
 protected:
  // So many clients whose requests are there before the loop begins. Each is answered; `before` is called when its
  // request was read.
  void answer_all(size_t count, const std::string& reply, const std::function<void(size_t)>& before = nullptr) {
    for (size_t i = 0; i < count; ++i) pairs_.push_back(std::make_unique<Pair>(loop_, queues_));
    for (size_t i = 0; i < count; ++i)
      start(answer(i, reply, before), [&](bool written) {
        written_ += written ? 1 : 0;
        if (++answered_ == pairs_.size()) loop_.stop();
      });
    for (const auto& pair : pairs_) pair->ask();
    loop_.run();
    EXPECT_EQ(answered_, count);
  }
  Task<bool> answer(size_t i, const std::string& reply, const std::function<void(size_t)>& before) {
    SocketStream& stream = *pairs_[i]->stream;
    char byte = 0;
    const size_t bytes = co_await ReadBytes(stream, std::span(&byte, 1));
    EXPECT_EQ(bytes, 1u);
    if (before) before(read_);
    ++read_;
    const bool first = co_await WriteBytes(stream, reply, "+");
    const bool second = co_await WriteBytes(stream, "!", "");
    co_return first&& second;
  }
  size_t replied() const {
    size_t count = 0;
    for (const auto& pair : pairs_) count += pair->has_reply() ? 1 : 0;
    return count;
  }

  Loop loop_;
  StreamQueues queues_{loop_};
  std::vector<std::unique_ptr<Pair>> pairs_;
  size_t read_ = 0;
  size_t answered_ = 0;
  size_t written_ = 0;
};

TEST_F(SocketStreams, WriteAFewRepliesTogetherWhileMoreIsReady) {
  std::vector<size_t> seen;
  answer_all(20, "reply", [&](size_t) { seen.push_back(replied()); });
  EXPECT_EQ(seen, (std::vector<size_t>{0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 16, 16, 16, 16}));
  EXPECT_EQ(written_, 20u);
  for (const auto& pair : pairs_) EXPECT_EQ(pair->replies(), "reply+!");
}

TEST_F(SocketStreams, AloneWriteAtOnce) {
  pairs_.push_back(std::make_unique<Pair>(loop_, queues_));
  PendingIo io;
  EXPECT_TRUE(pairs_[0]->stream->start_write("one", "two", io));
  EXPECT_EQ(io.bytes, 6u);
  EXPECT_EQ(pairs_[0]->replies(), "onetwo");
}

TEST_F(SocketStreams, ThatAreClosedWhileTheirRepliesWaitWriteNothing) {
  answer_all(5, "reply", [&](size_t nth) {
    if (nth == 3) {
      for (const auto& pair : pairs_) {
        if (pair != pairs_.back()) pair->stream->close();
      }
    }
  });
  EXPECT_LE(written_, 2u);
  size_t with_reply = 0;
  for (const auto& pair : pairs_) with_reply += pair->replies() == "reply+!" ? 1 : 0;
  EXPECT_EQ(with_reply, written_);
}

// More than the sockets hold: each goes on when its client has read.
TEST_F(SocketStreams, GoOnWhenThereIsRoomAgain) {
  const std::string large(4 << 20, 'x');
  std::vector<std::string> received(6);
  std::function<void()> take;
  Loop::Async call(loop_, [&] { take(); });
  take = [&] {
    for (size_t i = 0; i < pairs_.size(); ++i) received[i] += pairs_[i]->replies();
    call.send();
  };
  call.send();
  answer_all(6, large);
  for (size_t i = 0; i < pairs_.size(); ++i) EXPECT_EQ(received[i] + pairs_[i]->replies(), large + "+!") << i;
  EXPECT_EQ(written_, 6u);
}

}  // namespace
}  // namespace partita::net
