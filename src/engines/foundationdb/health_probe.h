// Whether FoundationDB answers. A call requests a read version, at most twice a second, and later calls see the result.
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
  const std::string error_sentence_;  // if it does not answer
  const std::shared_ptr<State> state_;
};

}  // namespace partita::foundationdb
