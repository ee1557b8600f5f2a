// Whether FoundationDB answers: whoever asks has it asked for a moment, at most twice a second, and learns what became
// of that the next time.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "engines/foundationdb/attempt.h"

namespace partita::foundationdb {

class HealthProbe {
 public:
  HealthProbe(const Cluster& cluster, const std::string& cluster_file);
  // Callable from any thread. Error: kUnavailable.
  Result<void> health() const;

 private:
  struct State;
  struct Probe;
  const Cluster& cluster_;
  const std::string error_sentence_;  // what is said when it does not answer
  const std::shared_ptr<State> state_;
};

}  // namespace partita::foundationdb
