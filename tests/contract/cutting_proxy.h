// Stands between an engine and PostgreSQL's socket, and cuts the connection of a commit when a test says so: before the
// commit arrives, or when it is done and its answer is on its way. Whatever carries the poison is always cut.
#pragma once

#include <atomic>
#include <filesystem>
#include <list>
#include <string>
#include <thread>

namespace partita::contract {

enum class Cut { kNothing, kCommit, kAnswer };
inline constexpr char kPoison[] = "a word that no server survives";

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
  // An engine's URL, with this in between.
  std::string between(std::string url) const;

 private:
  void accept_all();
  void pass_on(int client);

  const std::filesystem::path directory_;
  const std::filesystem::path behind_;
  int listener_ = -1;
  std::atomic<Cut> next_{Cut::kNothing};
  std::atomic<int> cuts_{0};
  std::list<std::thread> connections_;
  std::thread accepting_;
};

}  // namespace partita::contract
