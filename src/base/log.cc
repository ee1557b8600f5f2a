#include "base/log.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/log_receiver.h"
#include "base/mutex.h"
#include "base/nonblocking_writer.h"
#include "base/thread.h"

namespace partita {

namespace {

constexpr size_t kMostBytes = 2048;
constexpr size_t kQueueBytes = size_t{256} << 10;
constexpr std::array<std::string_view, 4> kNames = {"error", "warn", "info", "debug"};

std::atomic<LogLevel>& most_logged() {
  static std::atomic<LogLevel> level{LogLevel::kInfo};
  return level;
}

std::atomic<LogFormat>& format_logged() {
  static std::atomic<LogFormat> format{LogFormat::kText};
  return format;
}

constinit std::atomic<LogReceiver> log_receiver{nullptr};

// How many bytes the text's first character has in UTF-8; 0 when it is none.
size_t character_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = byte(0);
  const size_t size = first < 0x80                    ? 1
                      : first >= 0xc2 && first < 0xe0 ? 2
                      : first >= 0xe0 && first < 0xf0 ? 3
                      : first >= 0xf0 && first < 0xf5 ? 4
                                                      : 0;
  if (size == 0 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool beyond = (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
  return overlong || beyond ? 0 : size;
}

// A line that is being put together.
class LogLine {
 public:
  explicit LogLine(LogLevel level) : is_json_(format_logged().load(std::memory_order_relaxed) == LogFormat::kJson) {
    constexpr size_t kColumn = 6;
    const std::string_view name = kNames[static_cast<size_t>(level)];
    const auto time = utc_text(system_clock().now_ms());
    put(is_json_ ? "{\"time\":\"" : "");
    put(time.data());
    put(is_json_ ? "Z\",\"level\":\"" : "Z ");
    put(name);
    put(is_json_ ? "\",\"message\":\"" : std::string_view("      ").substr(0, kColumn - name.size()));
  }

  void add(std::string_view text) {
    if (is_json_) return add_json(text);
    for (const char c : text) {
      if (size_ == kMostText) return;
      bytes_[size_++] = is_control(c) ? '?' : c;
    }
  }

  std::string_view end() {
    put(is_json_ ? "\"}\n" : "\n");
    return {bytes_.data(), size_};
  }

 private:
  static constexpr size_t kMostText = kMostBytes - 3;  // what end() puts has room

  static bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

  void put(std::string_view text) {
    std::ranges::copy(text, bytes_.begin() + static_cast<ptrdiff_t>(size_));
    size_ += text.size();
  }

  void add_json(std::string_view text) {
    while (!text.empty()) {
      const size_t size = character_bytes(text);
      const bool escaped = text[0] == '"' || text[0] == '\\';
      if (size_ + (escaped ? 2 : std::max<size_t>(1, size)) > kMostText) return;
      if (escaped) put("\\");
      put(size == 0 || is_control(text[0]) ? std::string_view("?") : text.substr(0, size));
      text.remove_prefix(std::max<size_t>(1, size));
    }
  }

  const bool is_json_;
  std::array<char, kMostBytes> bytes_;
  size_t size_ = 0;
};

// Lines on their way to stderr.
class Output {
 public:
  void write(std::string_view line) noexcept {
    const MutexLock lock(mutex_);
    is_broken_ = false;
    send_queued();
    size_t sent = 0;
    if (queued_ == 0 && !send(line, sent)) return drop(1);
    if (sent == line.size()) return;
    if (queued_ + line.size() - sent > queue_.size()) return drop(1);
    std::memcpy(queue_.data() + queued_, line.data() + sent, line.size() - sent);
    queued_ += line.size() - sent;
    wait_for_reader();
  }

  void flush(int ms) noexcept {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
    const MutexLock lock(mutex_);
    for (send_queued(); queued_ > 0 && std::chrono::steady_clock::now() < until; send_queued()) {
      mutex_.unlock();
      std::this_thread::sleep_for(kTick);
      mutex_.lock();
    }
  }

  // The thread that aborts may be the one that has the lock.
  void say_last_words(std::string_view text) noexcept {
    if (mutex_.try_lock()) {
      for (int ticks = 0; queued_ > 0 && ticks < kLastTicks; ++ticks) {
        std::this_thread::sleep_for(kTick);
        send_queued();
      }
      mutex_.unlock();
    }
    NonblockingWriter writer(STDERR_FILENO);
    if (writer.write(text.substr(0, NonblockingWriter::kMostAtOnce)) < 0) return;
  }

  uint64_t dropped() const noexcept { return all_dropped_.load(std::memory_order_relaxed); }

 private:
  static constexpr auto kTick = std::chrono::milliseconds(10);
  static constexpr int kLastTicks = 20;

  // Whole lines, as many as a pipe takes at once.
  void send_queued() noexcept PARTITA_REQUIRES(mutex_) {
    while (queued_ > 0) {
      std::string_view piece(queue_.data(), std::min(queued_, NonblockingWriter::kMostAtOnce));
      piece = piece.substr(0, piece.rfind('\n') + 1);
      size_t sent = 0;
      if (!send(piece, sent)) {
        const auto lines = std::count(queue_.begin(), queue_.begin() + static_cast<ptrdiff_t>(queued_), '\n');
        queued_ = 0;
        return drop(static_cast<uint64_t>(lines));
      }
      queued_ -= sent;
      std::memmove(queue_.data(), queue_.data() + sent, queued_);
      if (sent < piece.size()) return;
    }
    if (dropped_ > 0) tell_dropped();
  }

  void tell_dropped() noexcept PARTITA_REQUIRES(mutex_) {
    std::array<char, 24> digits;
    const char* const end = std::to_chars(digits.begin(), digits.end(), dropped_).ptr;
    LogLine line(LogLevel::kWarn);
    line.add("The log lost ");
    line.add({digits.data(), static_cast<size_t>(end - digits.data())});
    line.add(dropped_ == 1 ? " line" : " lines");
    line.add(" because nobody read stderr.");
    const std::string_view text = line.end();
    size_t sent = 0;
    if (!send(text, sent) || sent == 0) return;
    dropped_ = 0;
    queued_ = text.size() - sent;
    std::memcpy(queue_.data(), text.data() + sent, queued_);
  }

  // False: it cannot be written at all. Else `sent` bytes of it were, and the rest has to wait.
  bool send(std::string_view bytes, size_t& sent) noexcept PARTITA_REQUIRES(mutex_) {
    while (sent < bytes.size()) {
      const ssize_t written = writer_.write(bytes.substr(sent));
      if (written <= 0) {
        is_broken_ = written < 0 && errno != EAGAIN && errno != EWOULDBLOCK;
        return !is_broken_;
      }
      sent += static_cast<size_t>(written);
    }
    return true;
  }

  void drop(uint64_t lines) noexcept PARTITA_REQUIRES(mutex_) {
    dropped_ += lines;
    all_dropped_.fetch_add(lines, std::memory_order_relaxed);
  }

  // Has a thread write what is queued as soon as it can be; without one, the next line does.
  void wait_for_reader() noexcept PARTITA_REQUIRES(mutex_) {
    if (thread_.joinable()) return waiting_.notify_one();
    // Signals are for the threads that wait for them, whenever this one begins.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      auto started = Thread::start("log", [this](const std::stop_token&) { run(); });
      if (started.ok()) thread_ = std::move(started).value();
    } catch (const std::bad_alloc&) {
      static_cast<void>(0);  // no memory for the error
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  [[noreturn]] void run() noexcept {
    const MutexLock lock(mutex_);
    for (;;) {
      waiting_.wait(mutex_, [this]() PARTITA_REQUIRES(mutex_) { return !is_broken_ && (queued_ > 0 || dropped_ > 0); });
      waiting_.wait_for(mutex_, kTick, [] { return false; });
      send_queued();
    }
  }

  Mutex mutex_;
  CondVar waiting_;
  NonblockingWriter writer_ PARTITA_GUARDED_BY(mutex_){STDERR_FILENO};
  std::array<char, kQueueBytes> queue_ PARTITA_GUARDED_BY(mutex_);
  size_t queued_ PARTITA_GUARDED_BY(mutex_) = 0;       // bytes, whole lines but for the beginning of the first
  uint64_t dropped_ PARTITA_GUARDED_BY(mutex_) = 0;    // lines, since it was last told
  bool is_broken_ PARTITA_GUARDED_BY(mutex_) = false;  // the last attempt met an error
  std::atomic<uint64_t> all_dropped_{0};
  Thread thread_ PARTITA_GUARDED_BY(mutex_);
};

// In memory that is there from the beginning and never goes: threads log until the process ends.
Output& output() {
  alignas(Output) static std::array<std::byte, sizeof(Output)> place;
  static Output* const made = new (place.data()) Output;
  return *made;
}

[[maybe_unused]] const bool writes_last_words = (set_last_words(log_last_words), true);

}  // namespace

std::optional<LogLevel> log_level_named(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<LogLevel>(found - kNames.begin());
}

void set_log_level(LogLevel most) { most_logged().store(most, std::memory_order_relaxed); }
void set_log_format(LogFormat format) { format_logged().store(format, std::memory_order_relaxed); }
bool logs(LogLevel level) noexcept { return level <= most_logged().load(std::memory_order_relaxed); }

void log(LogLevel level, std::initializer_list<std::string_view> sentence) noexcept {
  if (!logs(level)) return;
  LogLine line(level);
  for (const std::string_view part : sentence) line.add(part);
  if (const LogReceiver receiver = log_receiver.load(std::memory_order_acquire)) return receiver(level, line.end());
  output().write(line.end());
}

void set_log_receiver(LogReceiver receiver) { log_receiver.store(receiver, std::memory_order_release); }
uint64_t log_lines_dropped() noexcept { return output().dropped(); }
void flush_log(int ms) noexcept { output().flush(ms); }
void log_last_words(std::string_view text) noexcept { output().say_last_words(text); }

bool LogThrottle::pass(uint64_t& unsaid) noexcept {
  const int64_t now = system_clock().monotonic_ns();
  int64_t next = next_ns_.load(std::memory_order_relaxed);
  if (now < next || !next_ns_.compare_exchange_strong(next, now + period_ns_, std::memory_order_relaxed)) {
    unsaid_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  unsaid = unsaid_.exchange(0, std::memory_order_relaxed);
  return true;
}

}  // namespace partita
