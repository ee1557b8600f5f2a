#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "base/thread.h"
#include "http/server_testing.h"
#include "net/address.h"
#include "net/bound_sockets.h"

namespace partita::http {
namespace {

class Silent final : public Handler {
 public:
  Task<ops::Reply> call(const ops::Call&) override { co_return ops::Reply(); }
};

std::unique_ptr<Server> listening(Silent& handler) {
  Options options;
  options.port = 0;
  options.threads = 3;
  auto server = Server::listen(options, handler, system_clock(), system_random());
  EXPECT_TRUE(server.ok());
  return std::move(server).value();
}

bool connects(const net::Address& address) {
  const int socket = ::socket(address.family(), SOCK_STREAM, 0);
  const bool connected = ::connect(socket, address.get(), address.size()) == 0;
  ::close(socket);
  return connected;
}

TEST(ServerStart, RefusesConnectionsUntilItListensAndAfterwards) {
  auto sockets = net::BoundSockets::bind("", 0, false);
  ASSERT_TRUE(sockets.ok());
  const net::Address place = sockets->all().front().place;
  EXPECT_FALSE(connects(place));
  {
    Silent handler;
    const auto server = Server::listen(Options(), std::move(sockets).value(), handler, system_clock(), system_random());
    ASSERT_TRUE(server.ok());
    EXPECT_EQ((*server)->port(), place.port());
    EXPECT_TRUE(connects(place));
  }
  EXPECT_FALSE(connects(place));
}

TEST(ServerStart, SaysThatTheSystemMakesNoThread) {
  Silent handler;
  const auto server = listening(handler);
  const ThreadStartFailure none;
  const auto started = server->start();
  ASSERT_FALSE(started.ok());
  EXPECT_TRUE(is_thread_refusal(started.error()));
}

// As when something behind it cannot be started.
TEST(ServerStart, MayBeGivenUp) {
  Silent handler;
  EXPECT_TRUE(listening(handler)->start().ok());
}

TEST(ServerStart, SaysThatTooFewFilesAreLeft) {
  Silent handler;
  const auto server = listening(handler);
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  rlimit few = usual;
  few.rlim_cur = 40;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto started = server->start();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
  ASSERT_FALSE(started.ok());
  EXPECT_TRUE(started.error().sentence().starts_with("The limit of open files is 40, and "));
}

}  // namespace
}  // namespace partita::http
