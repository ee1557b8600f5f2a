// A PostgreSQL of the tests' own: made when it is first wanted, on a socket in a directory of its own, ended with the
// program. Run by root it runs as another user, as PostgreSQL demands.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace partita::contract {

class PostgresCluster {
 public:
  // `durable`: it flushes to the disk; else only its own death is survived.
  explicit PostgresCluster(bool durable = false);
  PostgresCluster(const PostgresCluster&) = delete;
  PostgresCluster& operator=(const PostgresCluster&) = delete;
  ~PostgresCluster();

  // The one that tests share.
  static PostgresCluster& shared();

  // Of the cluster's first database, for a role that may do everything.
  std::string url() const;
  // The URL of an empty store of its own.
  std::string new_store();
  // Where its socket is.
  const std::filesystem::path& directory() const { return directory_; }
  // Entries of the store's indexes that were read so far. Precondition: nobody has an engine on this cluster.
  static int64_t entries_read(const std::string& url);
  static void execute(const std::string& url, const std::string& sql);
  void start();  // returns when it answers
  void kill();   // all of its processes, at once

 private:
  void stop(int signal);
  pid_t spawn(std::vector<std::string> command) const;

  std::filesystem::path directory_;
  std::filesystem::path programs_;
  bool durable_;
  pid_t server_ = 0;
  int stores_ = 0;
};

}  // namespace partita::contract
