// Partita's own calls to a running server. They are made like DynamoDB's: X-Amz-Target names the operation after
// kAdminPrefix, and the body is JSON. Calls in this file are for the administration socket only; those that policies
// may allow to other callers are in operator_calls.h.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/task.h"
#include "ops/service.h"

namespace partita::admin {

inline constexpr std::string_view kAdminPrefix = "Partita_20261123.";

// Describes a server. The optional members of its reply are sentences:
inline constexpr std::string_view kDescribeServer = "DescribeServer";
inline constexpr std::string_view kTrouble = "Trouble";    // why the server is not ready
inline constexpr std::string_view kUnderWay = "UnderWay";  // what requests currently wait for
inline constexpr std::string_view kScrub = "Scrub";        // the scrub's progress and findings
inline constexpr std::string_view kJobs = "Jobs";          // the background jobs: a list of sentences

// The operations of the administration socket.
class Admin {
 public:
  // `call` lives until it is answered, and has a source. Runs on a serving thread, so it must not block.
  using Answer = std::function<Task<ops::Reply>(const ops::Call& call)>;

  // Call before the first find().
  void add(std::string_view name, Answer answer) { answers_.emplace(name, std::move(answer)); }

  // Null for other operations, and for calls that do not come from the socket. Callable from any thread.
  const Answer* find(const ops::Call& call) const;

 private:
  std::map<std::string, Answer, std::less<>> answers_;
};

}  // namespace partita::admin
