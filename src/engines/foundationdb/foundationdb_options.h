// How a store in FoundationDB is opened.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace partita {

// What a network may do to a commit.
enum class CommitFault : uint8_t {
  kNothing,
  kCommit,  // is lost on its way
  kAnswer,  // is lost on its way back
  kLate,    // it comes only when everybody has long stopped waiting for it
};

// Of the stores that it makes, and the newest that it opens.
inline constexpr unsigned kFoundationdbFormat = 1;

struct FoundationdbOptions {
  // "FILE" or "FILE?prefix=NAME": the cluster file, and what the names of all rows begin with ("partita").
  std::string place;
  size_t lanes = 4;     // commits under way at once
  size_t merged = 256;  // the most transactions in one of them
  bool makes = true;    // a store where there is none
  // How often it says that it uses the store. Who was silent for three of these is taken for gone.
  std::chrono::milliseconds heartbeat{2'000};
  // For tests: asked before each commit, by any thread. Nothing: no commit is cut.
  std::function<CommitFault()> commit_fault;
};

}  // namespace partita
