#include "table/background.h"

#include <chrono>

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

void Background::run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !jobs_.empty(); })) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    if (wait_for(job(stop)) || stop.stop_requested()) continue;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kRetryAfter, [] { return false; });
    jobs_.push_back(std::move(job));
  }
}

}  // namespace partita::table
