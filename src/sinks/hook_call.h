// A call of the function behind a hook, and what its answer means.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/http_client.h"
#include "sinks/change_destination.h"
#include "sinks/hook_options.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

struct HookCall {
  std::string id;    // the same for the same records
  std::string body;  // an event
  std::vector<std::string> sequence_numbers;
  bool wants_state = false;  // an answer without the state of a window is a failure
};

struct HookAnswer {
  enum class Kind : uint8_t {
    kDone,
    kFailed,  // the function did, at the `first` record that it names, or at all
    kMissed,  // the function was not reached, as far as can be told
  };
  Kind kind = Kind::kDone;
  size_t first = 0;
  std::string reason = {};  // a sentence, but of kDone
  std::string state = {};   // a JSON object, if the call wants one and some of its records are done
};

// What an HTTP reply means. `sequence_numbers`: those of the event's records. `wants_state`: HookCall's.
HookAnswer hook_answer(const net::HttpReply& reply, bool reports_items,
                       const std::vector<std::string>& sequence_numbers, bool wants_state = false);

class HookCaller {
 public:
  virtual ~HookCaller() = default;
  // Error: kUnavailable, with a sentence: there is no use to begin.
  virtual Result<void> prepare() { return {}; }
  // Blocks. For one thread at a time for each `line`, which is less than kLines.
  virtual HookAnswer call(size_t line, const HookCall& call) = 0;
  // Calls end soon, and no others begin.
  virtual bool hurries() const { return false; }

  static constexpr size_t kMostAnswerBytes = size_t{6} << 20;  // as of Lambda's functions
  static constexpr size_t kLines = table::kSinkSlices * HookOptions::kMostLanes;
};

// An answer without a reason: there was no memory for it. Nothing is thrown.
void call_hook(HookCaller& caller, size_t line, const HookCall& call, HookAnswer& answer) noexcept;
// The answer's reason, which is moved from.
std::string reason_of(HookAnswer& answer);

// The headers of a call that is signed as Standard Webhooks (standardwebhooks.com) describes: webhook-id,
// webhook-timestamp and webhook-signature. `secret`: "whsec_" and base64, or any other text.
std::vector<std::pair<std::string, std::string>> hook_signature(std::string_view secret, const HookCall& call,
                                                                int64_t now_ms);

// By HTTP. The clock outlives it. Error: kInvalid (reason 0), with a sentence.
Result<std::unique_ptr<HookCaller>> make_http_hook(const ChangeSettings& settings, const HookOptions& options,
                                                   const Clock& clock, std::stop_token hurry);

}  // namespace partita::sinks
