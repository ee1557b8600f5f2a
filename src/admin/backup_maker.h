// Backups of a server's store, requested by its administrators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "admin/admin.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread.h"
#include "storage/backup.h"

namespace partita::admin {

// Makes one backup at a time, on a thread of its own. It serves two operations: StartBackup takes a Directory, how many
// backups to Keep and whether to Mend, and is aborted when its connection ends; DescribeBackup reports on the newest
// backup. Callable from any thread.
class BackupMaker {
 public:
  // `backed_up_by`: the answer if the engine cannot back up its store. Both outlive it.
  BackupMaker(storage::Engine& engine, std::string_view backed_up_by) : engine_(engine), backed_up_by_(backed_up_by) {}
  // Aborts a backup in progress, which leaves no trace.
  ~BackupMaker();
  BackupMaker(const BackupMaker&) = delete;
  BackupMaker& operator=(const BackupMaker&) = delete;

  void add_to(Admin& admin);

 private:
  std::string start(const ops::Call& call);
  std::string describe();
  void run(const storage::BackupRequest& request);

  storage::Engine& engine_;
  const std::string_view backed_up_by_;
  Mutex mutex_;
  bool running_ PARTITA_GUARDED_BY(mutex_) = false;
  bool stopping_ PARTITA_GUARDED_BY(mutex_) = false;
  uint64_t number_ PARTITA_GUARDED_BY(mutex_) = 0;     // of the newest backup
  bool abandoned_ PARTITA_GUARDED_BY(mutex_) = false;  // the client that asked for it has gone
  uint64_t bytes_ PARTITA_GUARDED_BY(mutex_) = 0;      // copied
  uint64_t total_ PARTITA_GUARDED_BY(mutex_) = 0;      // approximate size of the store
  std::optional<Result<storage::BackupResult>> made_ PARTITA_GUARDED_BY(mutex_);
  Thread thread_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::admin
