// For tests: another end in memory that takes every change, and loses, delays and rejects.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/random.h"
#include "sinks/change_destination.h"
#include "sinks/sink_store.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

inline constexpr const char* kChangesUrl = "changes://here";

// Outlives the servers that send to it. Callable from any thread.
class ChangesEnd {
 public:
  struct Taken {
    storage::Position position{};
    std::string key;
    table::StreamEvent event{};
    std::string old_image;
    std::string new_image;
    bool operator==(const Taken&) const = default;
  };

  // Of a hundred requests, how many are refused, are carried out without an answer, or are done in part.
  std::atomic<int> refused{0};
  std::atomic<int> unanswered{0};
  std::atomic<int> partial{0};
  std::atomic<bool> down{false};
  std::atomic<bool> wrong{false};  // kInvalid
  // Requests of the slice wait while it is this one.
  std::atomic<int> stuck_slice{-1};
  std::atomic<int> stuck{0};            // so many wait
  std::atomic<bool> deaf{false};        // they do not end when they are told to
  std::atomic<bool> is_lost{false};     // those that were told to end have done nothing
  std::atomic<bool> holds_slow{false};  // all requests of sinks with the option speed=slow wait
  std::atomic<bool> stuck_prepare{false};
  // Changes are put off until so many are there, or for `window_ms`.
  std::atomic<size_t> window{0};
  std::atomic<int> window_ms{0};
  std::atomic<bool> counts_waits{false};  // in the text of the slice, and says so
  std::atomic<bool> is_due{false};        // once for each send(), though no changes wait
  std::atomic<uint64_t> due_calls{0};
  std::atomic<bool> takes_poison{false};  // items with OtherEnd::kPoison are rejected otherwise
  std::atomic<size_t> most_changes{100};

  std::atomic<uint64_t> requests{0};
  std::atomic<uint64_t> prepared{0};
  std::atomic<uint64_t> finished{0};
  std::atomic<uint64_t> resent{0};
  std::atomic<uint64_t> destroyed{0};          // of the destinations that were prepared
  std::atomic<uint64_t> destroyed_at_home{0};  // on a thread that resumes coroutines
  std::atomic<size_t> largest{0};              // of the requests, in changes

  // What arrived, with what came twice.
  std::vector<Taken> taken(size_t slice);
  size_t taken();
  // The items that the changes make, by their stored keys. Empty, and an explanation, if a change is missing or out of
  // order: each one's old image is what the item was before.
  std::map<std::string, std::string> replayed(std::string& wrong_with);
  // The options that the destination was made with last.
  std::map<std::string, std::string> options();

  FindChangeDestination finder(std::function<bool()> cut);

 private:
  friend class MemoryChanges;
  Mutex mutex_;
  SeededRandom random_{5};
  std::array<std::vector<Taken>, table::kSinkSlices> taken_ PARTITA_GUARDED_BY(mutex_);
  std::map<std::string, std::string> options_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::sinks
