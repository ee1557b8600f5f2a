// The metrics of the sinks that this server carries.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/exposition.h"
#include "base/mutex.h"
#include "sinks/progress.h"
#include "sinks/sink_store.h"

namespace partita::sinks {

struct SinkFigures {
  SinkState state = SinkState::kFilling;
  int64_t lag_ms = 0;         // age of the oldest change that is not delivered
  uint64_t lag_entries = 0;   // changes that are not delivered, as far as they were counted
  uint64_t dead_letters = 0;  // items in the table of dead letters
  uint64_t sent = 0;
  uint64_t conflicts = 0;
};

// Callable from any thread.
class SinkMeters {
 public:
  void set(const std::string& table, const std::string& sink, const SinkFigures& figures);
  // It is carried by another server from now on, or gone.
  void erase(const std::string& table, const std::string& sink);
  // nullopt: another server carries it.
  std::optional<SinkFigures> find(const std::string& table, const std::string& sink) const;
  void report(Exposition& out) const;

 private:
  using Name = std::pair<std::string, std::string>;  // table and sink
  std::map<Name, SinkFigures> all() const;

  mutable Mutex mutex_;
  std::map<Name, SinkFigures> sinks_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::sinks
