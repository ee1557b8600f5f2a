#include "table/background.h"

#include <chrono>
#include <optional>

namespace partita::table {

namespace {

// A job fails when the store does, so there is no haste.
constexpr std::chrono::milliseconds kRetryAfter{200};

}  // namespace

Background::Background() : thread_([this](std::stop_token stop) { run(stop); }) {}

Background::~Background() {
  thread_.request_stop();
  thread_.join();
}

void Background::add(Job job) {
  std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_one();
}

void Background::resume(std::coroutine_handle<> handle) {
  std::lock_guard lock(mutex_);
  ready_.push_back(handle);
  changed_.notify_one();
}

// Runs a job to its end, each step of it on this thread.
bool Background::finish(Task<bool> job) {
  std::optional<bool> result;
  start(std::move(job), [&](bool value) {
    std::lock_guard lock(mutex_);
    result = value;
    changed_.notify_one();
  });
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return result.has_value() || !ready_.empty(); });
    if (result.has_value()) return *result;
    const std::coroutine_handle<> handle = ready_.front();
    ready_.pop_front();
    lock.unlock();
    handle.resume();
    lock.lock();
  }
}

void Background::run(std::stop_token stop) {
  Executor::set_current(this);
  while (!stop.stop_requested()) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !jobs_.empty(); })) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    if (finish(job(stop)) || stop.stop_requested()) continue;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kRetryAfter, [] { return false; });
    jobs_.push_back(std::move(job));
  }
}

}  // namespace partita::table
