#include "app/service_manager.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

namespace partita::app {
namespace {

// Whether a thread of this process waits for something.
bool sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(file, line);
  const size_t name_ends = line.rfind(") ");
  return name_ends != std::string::npos && line[name_ends + 2] == 'S';
}

TEST(ServiceManager, IsToldOnceItsQueueHasRoom) {
  std::string directory = testing::TempDir() + "manager-XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  const std::string place = directory + "/notify";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(place.size(), sizeof address.sun_path);
  place.copy(address.sun_path, place.size());
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  const int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const int others = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(manager, any, sizeof address), 0);
  constexpr std::string_view kOther = "STATUS=other";
  while (sendto(others, kOther.data(), kOther.size(), MSG_DONTWAIT, any, sizeof address) > 0) {
  }
  ASSERT_EQ(setenv("NOTIFY_SOCKET", place.c_str(), 1), 0);
  std::atomic<pid_t> teller{0};
  std::atomic<bool> told{false};
  std::thread telling([&] {
    teller = gettid();
    tell_service_manager("READY=1");
    told = true;
  });
  while (!told && !sleeps(teller)) std::this_thread::yield();
  EXPECT_FALSE(told);
  char said[100];
  const auto next = [&](int flags) {
    const ssize_t size = recv(manager, said, sizeof said, flags);
    return size > 0 ? std::string(said, static_cast<size_t>(size)) : std::string();
  };
  std::string last = next(0);
  telling.join();
  for (std::string one = last; !one.empty(); one = next(MSG_DONTWAIT)) last = one;
  EXPECT_EQ(last, "READY=1");
  unsetenv("NOTIFY_SOCKET");
  close(manager);
  close(others);
  unlink(place.c_str());
  rmdir(directory.c_str());
}

}  // namespace
}  // namespace partita::app
