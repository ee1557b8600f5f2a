// `partita backup`, `backup list`, `backup prune` and `restore`, and a server's part in the first.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "admin/admin.h"
#include "base/result.h"
#include "base/thread.h"
#include "cli/command_line.h"
#include "engines/stores.h"

namespace partita::cli {

// Each says on stdout what it did, those that take long on stderr how far they are. They block. Errors: one sentence.
// Of a store that is served the server makes the backup, and stops when whoever asked has gone.
Result<void> back_up(const CommandLine& line);
Result<void> list_backups(const CommandLine& line);
Result<void> prune_backups(const CommandLine& line);
Result<void> restore(const CommandLine& line);

// Makes backups of a server's store on a thread of its own, one at a time: the operations StartBackup, of a Directory,
// how many to Keep and whether to Mend, which stops when that connection ends, and DescribeBackup, which says how the
// newest is. Callable from any thread.
class BackupMaker {
 public:
  BackupMaker(storage::Engine& engine, const EngineRow& row) : engine_(engine), row_(row) {}
  // Stops a backup that is under way, which leaves nothing of it.
  ~BackupMaker();
  BackupMaker(const BackupMaker&) = delete;
  BackupMaker& operator=(const BackupMaker&) = delete;

  void answer(admin::Admin& admin);

 private:
  std::string start(const ops::Call& call);
  std::string describe();
  void run(const BackupRequest& request);

  storage::Engine& engine_;
  const EngineRow& row_;
  std::mutex mutex_;
  bool running_ = false;
  bool stopping_ = false;
  uint64_t number_ = 0;      // of the newest backup
  bool left_alone_ = false;  // whoever asked for it has gone
  uint64_t bytes_ = 0;       // copied
  uint64_t total_ = 0;       // of the store, roughly
  std::optional<Result<BackupResult>> made_;
  Thread thread_;
};

}  // namespace partita::cli
