// What the background work of this server lets its operator see.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/exposition.h"
#include "base/mutex.h"
#include "storage/engine.h"
#include "table/rows/job_row.h"

namespace partita::table {

// Callable from any thread.
class UpkeepView {
 public:
  // All jobs as the store has them, whoever does them; `mine`: keys of those that this server does.
  void saw_jobs(const storage::Page& rows, const std::set<std::string>& mine, int64_t now_ns);
  // This server does the job from now on. It is seen to have ended with the next look.
  void began(const std::string& key);
  // For how long the item has been due that is deleted next; 0: none is.
  void saw_expiry(const std::string& table, int64_t late_ms);
  // Only these tables have items that expire.
  void saw_expiring(const std::set<std::string>& tables);
  // For how long the oldest record of a shard has been too old.
  void saw_old_record(int64_t late_ms);
  // All streams were looked at since this was called last. It is reported for two minutes: another server may look
  // next.
  void saw_streams(int64_t now_ns);

  void report(Exposition& out, int64_t now_ns) const;

 private:
  struct Seen {
    Job job;
    storage::Version version{};
    int64_t since_ns = 0;  // when it was first seen so
    bool mine = false;
  };

  mutable Mutex mutex_;
  std::map<std::string, Seen> jobs_ PARTITA_GUARDED_BY(mutex_);               // by their keys
  std::map<std::string, int64_t> expiry_late_ms_ PARTITA_GUARDED_BY(mutex_);  // by table
  int64_t trim_late_ms_ PARTITA_GUARDED_BY(mutex_) = 0;
  int64_t trim_known_until_ns_ PARTITA_GUARDED_BY(mutex_) = 0;
  int64_t next_trim_late_ms_ PARTITA_GUARDED_BY(mutex_) = 0;  // of the look at the streams that is under way
};

}  // namespace partita::table
