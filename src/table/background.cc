#include "table/background.h"

namespace partita::table {

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
    wait_for(job(stop));
  }
}

}  // namespace partita::table
