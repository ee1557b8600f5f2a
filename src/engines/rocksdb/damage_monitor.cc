#include "engines/rocksdb/damage_monitor.h"

#include "base/log.h"

namespace partita::rocks {

void DamageMonitor::met(const rocksdb::Status& status) {
  if (!status.IsCorruption()) return;
  reads_.add();
  if (!any()) note(status.ToString());
}

void DamageMonitor::found(const std::string& what) { note(what); }

void DamageMonitor::note(const std::string& what) {
  {
    const MutexLock lock(mutex_);
    if (!first_.empty()) return;
    first_ = what;
    any_.store(true, std::memory_order_release);
  }
  log(LogLevel::kError, sentence());
}

void DamageMonitor::found_nothing(uint64_t reads_before) {
  const MutexLock lock(mutex_);
  if (reads_before != reads()) return;
  first_.clear();
  any_.store(false, std::memory_order_release);
}

std::string DamageMonitor::sentence() const {
  const MutexLock lock(mutex_);
  if (first_.empty()) return {};
  return "The store is damaged: " + first_ +
         ". Requests that need what is damaged fail, and the rest is served; restore a backup, or save what is "
         "readable with `partita salvage`.";
}

}  // namespace partita::rocks
