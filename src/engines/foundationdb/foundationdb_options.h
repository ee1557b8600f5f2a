// How a store in FoundationDB is opened.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace partita {

// A network fault that a test injects into a commit.
enum class CommitFault : uint8_t {
  kNothing,
  kCommit,  // the request is lost
  kAnswer,  // the answer is lost
  kLate,    // the request arrives long after it was given up
};

// The format of new stores, and the newest that can be opened.
inline constexpr unsigned kFoundationdbFormat = 1;

struct FoundationdbOptions {
  // "FILE" or "FILE?prefix=NAME": the cluster file, and the prefix of all rows ("partita").
  std::string place;
  size_t lanes = 4;     // commits in flight
  size_t merged = 256;  // the most transactions in a commit
  bool makes = true;    // creates a store if there is none
  // How often the session's lease is renewed. It expires after three times as long.
  std::chrono::milliseconds heartbeat{2'000};
  // For tests: called before each commit, on any thread. Empty: no faults.
  std::function<CommitFault()> commit_fault;
};

}  // namespace partita
