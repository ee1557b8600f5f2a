#include "library/process.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>

#include "base/blocked_signals.h"
#include "base/log.h"
#include "base/log_receiver.h"
#include "base/mutex.h"

namespace partita::library {

namespace {

std::atomic<pid_t> opened_by{0};  // 0: nobody has opened a database
// A byte of a page that fork() fills with zeros in the child. Null: the system has no such pages.
std::atomic<const volatile char*> marked_page{nullptr};

Mutex& opening() {
  static Mutex mutex;
  return mutex;
}

const volatile char* make_page() {
#ifdef MADV_WIPEONFORK
  const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (madvise(page, bytes, MADV_WIPEONFORK) != 0) {
    munmap(page, bytes);
    return nullptr;
  }
  *static_cast<char*>(page) = 1;
  return static_cast<const char*>(page);
#else
  return nullptr;
#endif
}

struct Log {
  Mutex mutex;
  partita_log_function function PARTITA_GUARDED_BY(mutex) = nullptr;
  void* context PARTITA_GUARDED_BY(mutex) = nullptr;
};

Log& log_of_program() {
  static Log log;
  return log;
}

void hand_over(LogLevel level, std::string_view line) noexcept {
  std::array<char, 4096> text;  // lines are shorter
  const size_t size = std::min(line.size(), text.size() - 1);
  std::copy_n(line.data(), size, text.data());
  text[size] = '\0';
  Log& log = log_of_program();
  const MutexLock lock(log.mutex);
  if (log.function != nullptr) log.function(log.context, static_cast<int32_t>(level), text.data(), size);
}

// Before any line can be written.
[[maybe_unused]] const bool hands_over = (set_log_receiver(hand_over), true);

}  // namespace

void note_opened() {
  const MutexLock lock(opening());
  if (opened_by.load() != 0) return;
  block_signals_in_threads();
  marked_page.store(make_page());
  opened_by.store(getpid());
}

bool is_forked() {
  const pid_t owner = opened_by.load(std::memory_order_acquire);
  if (owner == 0) return false;
  const volatile char* const page = marked_page.load(std::memory_order_relaxed);
  return page != nullptr ? *page == 0 : getpid() != owner;
}

void set_log(partita_log_function function, void* context) {
  Log& log = log_of_program();
  const MutexLock lock(log.mutex);
  log.function = function;
  log.context = context;
}

}  // namespace partita::library
