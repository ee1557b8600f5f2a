#include "app/signals.h"

#include <pthread.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <thread>

#include "app/resident_pages.h"
#include "app/service_manager.h"
#include "base/log.h"

namespace partita::app {

namespace {

constexpr int kFlushLogMs = 500;
// Programs that end a process group often signal each process twice within a moment.
constexpr auto kSameRequest = std::chrono::seconds(1);
constexpr auto kStart = std::chrono::seconds(1);
constexpr auto kGrace = std::chrono::seconds(3);

sigset_t set_of(std::initializer_list<int> list) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : list) sigaddset(&signals, signal);
  return signals;
}

void block(std::initializer_list<int> list) {
  const sigset_t signals = set_of(list);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

// The first of `signals` that comes within `left_ns`, or ever if that is negative; -1: none did.
int wait_for_signal(const sigset_t& signals, int64_t left_ns) {
#if defined(__linux__)
  constexpr int64_t kNsPerS = 1'000'000'000;
  const timespec left{.tv_sec = left_ns / kNsPerS, .tv_nsec = left_ns % kNsPerS};
  return left_ns < 0 ? sigwaitinfo(&signals, nullptr) : sigtimedwait(&signals, nullptr, &left);
#else  // macOS has no wait with a limit
  constexpr auto kLook = std::chrono::milliseconds(20);
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(left_ns);
  const auto is_pending = [&] {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) || sigismember(&pending, SIGHUP);
  };
  while (left_ns >= 0 && !is_pending()) {
    if (std::chrono::steady_clock::now() >= end) return -1;
    std::this_thread::sleep_for(kLook);
  }
  int signal = 0;
  return sigwait(&signals, &signal) == 0 ? signal : -1;
#endif
}

std::string_view name_of(int signal) { return signal == SIGTERM ? "SIGTERM" : "SIGINT"; }

}  // namespace

void set_up_signals() {
  block({SIGHUP});
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void block_stop_signals() { block({SIGTERM, SIGINT}); }

void exit_now() {
  log(LogLevel::kError, "Some requests did not end in time; stopping without them.");
  flush_log(kFlushLogMs);
  std::_Exit(EXIT_FAILURE);
}

Result<void> SignalThread::start() {
  PARTITA_TRY(thread_, Thread::start("signals", [this](const std::stop_token& done) { run(done); }));
  return {};
}

int SignalThread::wait_for_stop(const std::stop_token& done, Deadline deadline) const {
  const sigset_t signals = set_of({SIGTERM, SIGINT, SIGHUP});
  for (auto now = Deadline::clock::now(); !done.stop_requested() && now < deadline; now = Deadline::clock::now()) {
    const bool forever = deadline == Deadline::max();
    const int64_t left_ns = forever ? -1 : std::chrono::nanoseconds(deadline - now).count();
    const int signal = wait_for_signal(signals, left_ns);
    if (done.stop_requested()) return 0;
    if (signal == SIGHUP) reload_();
    if (signal == SIGTERM || signal == SIGINT) return signal;
  }
  return 0;
}

void SignalThread::run(const std::stop_token& done) const {
  // If the start fails after this thread began, its destruction must wake it.
  const std::stop_callback wake(done, [self = pthread_self()] { pthread_kill(self, SIGHUP); });
  // This thread has time, and the start is over by then.
  int first = wait_for_stop(done, std::chrono::steady_clock::now() + kStart);
  if (first == 0 && !done.stop_requested()) {
    release_start_pages();
    first = wait_for_stop(done, Deadline::max());
  }
  if (first == 0) return;
  log(LogLevel::kInfo, {"Stopping on ", name_of(first), "."});
  tell_service_manager("STOPPING=1");
  server_.stop();
  const Deadline stopped = std::chrono::steady_clock::now();
  int second = 0;
  do {
    second = wait_for_stop(done, stopped + patience_ + kGrace);
  } while (second != 0 && std::chrono::steady_clock::now() < stopped + kSameRequest);
  if (second != 0) {
    log(LogLevel::kWarn, {"Stopping at once on another ", name_of(second), "."});
    server_.stop_now();
    wait_for_stop(done, std::chrono::steady_clock::now() + kGrace);
  }
  if (!done.stop_requested()) exit_now();
}

}  // namespace partita::app
