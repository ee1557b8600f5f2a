// Stands between an engine and PostgreSQL's socket, and cuts the connection of a commit when a test says so: before the
// commit arrives, or when it is done and its answer is on its way.
#pragma once

#include <atomic>
#include <filesystem>
#include <list>
#include <string>
#include <thread>

namespace partita::contract {

enum class Cut { kNothing, kCommit, kAnswer };

class CuttingProxy {
 public:
  // Listens in `directory` for what belongs to the socket in `behind`.
  CuttingProxy(const std::filesystem::path& directory, const std::filesystem::path& behind);
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;
  // Precondition: no connection is left.
  ~CuttingProxy();

  // Of the next commit.
  void cut(Cut what) { next_ = what; }
  int cuts() const { return cuts_; }

 private:
  void accept_all();
  void pass_on(int client);

  const std::string behind_;
  int listener_ = -1;
  std::atomic<Cut> next_{Cut::kNothing};
  std::atomic<int> cuts_{0};
  std::list<std::thread> connections_;
  std::thread accepting_;
};

}  // namespace partita::contract
