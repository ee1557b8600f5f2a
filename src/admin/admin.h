// What only administrators ask of a server: JSON calls like DynamoDB's, under a prefix of their own, over the
// administration socket. Calls under the same prefix that policies may allow to others are in operator_calls.h.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/task.h"
#include "ops/service.h"

namespace partita::admin {

// Before an operation's name in X-Amz-Target.
inline constexpr std::string_view kAdminPrefix = "Partita_20261123.";

// What a server is, and, as kTrouble, why it cannot do its work: a sentence, absent when all is well. As kUnderWay,
// what has the store's database for itself and will let it go: also a sentence, and absent mostly.
inline constexpr std::string_view kDescribeServer = "DescribeServer";
inline constexpr std::string_view kTrouble = "Trouble";
inline constexpr std::string_view kUnderWay = "UnderWay";
// How far the scrub is and what it found: the same, absent where there is none.
inline constexpr std::string_view kScrub = "Scrub";
// What runs in the background: a list of sentences, absent if it is empty.
inline constexpr std::string_view kJobs = "Jobs";

class Admin {
 public:
  // The call lives until it is answered, and has a source. On a thread that serves: it must not block.
  using Answer = std::function<Task<ops::Reply>(const ops::Call& call)>;

  // Before the first call.
  void add(std::string_view name, Answer answer) { answers_.emplace(name, std::move(answer)); }

  // Null when the call is none of these, or does not come from the socket. Callable from any thread.
  const Answer* find(const ops::Call& call) const;

 private:
  std::map<std::string, Answer, std::less<>> answers_;
};

}  // namespace partita::admin
