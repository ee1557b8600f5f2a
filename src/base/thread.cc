#include "base/thread.h"

#include <atomic>
#include <cerrno>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/blocked_signals.h"
#include "base/thread_name.h"

namespace partita {

namespace {

std::atomic<int> refusals{0};
constinit std::atomic<bool> block_signals{false};

struct ThreadRefusal final : ErrorDetail {};

Error refused(std::string_view name, const std::string& why) {
  return Error(ErrorKind::kUnavailable, 0,
               {"The thread \"" + std::string(name) + "\" cannot be started (" + why +
                "): raise the limit of threads (ulimit -u, TasksMax=) or of memory."},
               std::make_shared<ThreadRefusal>());
}

}  // namespace

Result<Thread> Thread::start(std::string_view name, Body body) {
  if (refusals.load(std::memory_order_relaxed) > 0) return refused(name, std::generic_category().message(EAGAIN));
  std::optional<BlockedSignals> blocked;
  if (block_signals.load(std::memory_order_relaxed)) blocked.emplace();
  try {
    return Thread(std::jthread([name = std::string(name), body = std::move(body)](const std::stop_token& stop) {
      name_thread(name.c_str());
      body(stop);
    }));
  } catch (const std::system_error& error) {
    return refused(name, error.code().message());
  } catch (const std::bad_alloc&) {
    return refused(name, "not enough memory");
  }
}

void block_signals_in_threads() { block_signals.store(true, std::memory_order_relaxed); }

bool is_thread_refusal(const Error& error) {
  return dynamic_cast<const ThreadRefusal*>(error.detail().get()) != nullptr;
}

ThreadStartFailure::ThreadStartFailure() { refusals.fetch_add(1); }
ThreadStartFailure::~ThreadStartFailure() { refusals.fetch_sub(1); }

}  // namespace partita
