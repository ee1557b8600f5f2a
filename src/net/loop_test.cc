#include "net/loop.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/check.h"

namespace partita::net {
namespace {

using std::chrono::milliseconds;

TEST(Loop, CallsTakeNoMemoryAndAreMadeOnceForAllThatAsked) {
  Loop loop;
  int calls = 0;
  Loop::Async last(loop, [&] { loop.stop(); });
  Loop::Async call(loop, [&] { ++calls; });
  const size_t held = mallinfo2().uordblks;
  call.send();
  call.send();
  last.send();
  EXPECT_EQ(mallinfo2().uordblks, held);
  loop.run();
  EXPECT_EQ(calls, 1);
}

TEST(Loop, ACallMayAskForItselfAndForOthers) {
  Loop loop;
  std::string order;
  Loop::Async* again = nullptr;
  Loop::Async other(loop, [&] { order += 'o'; });
  Loop::Async call(loop, [&] {
    order += 'c';
    if (order.size() > 6) return loop.stop();
    again->send();
    other.send();
  });
  again = &call;
  call.send();
  loop.run();
  EXPECT_EQ(order, "ccoccoc");
}

TEST(Loop, IsWokenByOtherThreads) {
  Loop loop;
  int calls = 0;
  Loop::Async call(loop, [&] {
    if (++calls == 100) loop.stop();
  });
  std::jthread other([&](const std::stop_token& done) {
    while (!done.stop_requested()) {
      call.send();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  loop.run();
  EXPECT_EQ(calls, 100);
}

TEST(Loop, EndsEvenBeforeItBegins) {
  Loop loop;
  loop.stop();
  loop.run();
  Loop sleeping;
  std::jthread other([&] {
    std::this_thread::sleep_for(milliseconds(5));
    sleeping.stop();
  });
  sleeping.run();
}

TEST(Loop, KeepsTimes) {
  Loop loop;
  std::string order;
  Loop::Timer late(loop, [&] { loop.stop(); });
  Loop::Timer never(loop, [&] { order += 'x'; });
  Loop::Timer soon(loop, [&] { order += 's'; });
  Loop::Timer sooner(loop, [&] {
    order += 'r';
    never.cancel();
  });
  never.start(milliseconds(10));
  late.start(milliseconds(20));
  soon.start(milliseconds(500));
  soon.start(milliseconds(5));
  sooner.start(milliseconds(0));
  const auto began = std::chrono::steady_clock::now();
  loop.run();
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(20));
  EXPECT_EQ(order, "rs");
}

// One end of a pair of sockets that are connected to each other.
struct End final : Loop::Watcher {
  explicit End(int socket) : fd(socket) {}
  ~End() { ::close(fd); }
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  void ready(bool readable, bool writable, bool ended) override {
    edges += readable ? 'r' : '-';
    edges += writable ? 'w' : '-';
    edges += ended ? 'e' : '-';
    if (on_edge) on_edge();
  }
  int fd;
  std::string edges;
  std::function<void()> on_edge;
};

class LoopOfSockets : public testing::Test {
 protected:
  LoopOfSockets() {
    int both[2];
    PARTITA_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, both) == 0);
    one_ = std::make_unique<End>(both[0]);
    two_ = std::make_unique<End>(both[1]);
  }
  void run_a_while() {
    Loop::Timer enough(loop_, [&] { loop_.stop(); });
    enough.start(milliseconds(20));
    loop_.run();
  }
  Loop loop_;
  std::unique_ptr<End> one_, two_;
};

TEST_F(LoopOfSockets, TellsEachEdgeOnce) {
  ASSERT_EQ(::write(two_->fd, "x", 1), 1);
  ASSERT_TRUE(loop_.watch(one_->fd, *one_));
  run_a_while();
  EXPECT_EQ(one_->edges, "rw-");
}

TEST_F(LoopOfSockets, TellsThatTheOtherSideEnded) {
  ASSERT_TRUE(loop_.watch(one_->fd, *one_));
  ::shutdown(two_->fd, SHUT_WR);
  run_a_while();
  EXPECT_EQ(one_->edges, "rwe");
}

TEST_F(LoopOfSockets, TellsNothingMoreToWhoIsNotWatchedAnyMore) {
  ASSERT_TRUE(loop_.watch(one_->fd, *one_));
  ASSERT_TRUE(loop_.watch(two_->fd, *two_));
  one_->on_edge = [&] { loop_.unwatch(two_->fd, *two_); };
  two_->on_edge = [&] { loop_.unwatch(one_->fd, *one_); };
  run_a_while();
  EXPECT_EQ(one_->edges + two_->edges, "-w-");
}

}  // namespace
}  // namespace partita::net
