// Tumbling windows of a hook, as Lambda has them: the calls for the changes that were written in one span of time hand
// a state from one to the next, and a last call without records gets the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sinks/change_destination.h"
#include "sinks/hook_call.h"

namespace partita::sinks {

// One that is open: its first records are done, its last call is not.
struct HookWindow {
  static constexpr size_t kMostState = size_t{32} << 10;  // bytes. Larger ones end the window early
  static constexpr int64_t kLateMs = 1'000;               // so long after its end it waits for late changes

  int64_t start_ms = 0;
  int64_t end_ms = 0;
  std::string state = "{}";  // a JSON object
  std::string last = {};     // the sequence number of the last record that is done
  int64_t failures = 0;      // of its last call
  bool operator==(const HookWindow&) const = default;

  // The one of that time, with nothing done.
  static HookWindow at(int64_t at_ms, int64_t width_ms);
};

enum class WindowCall : uint8_t {
  kRecords,
  kFinal,
  kEarly,  // the last one, since the state is too large
};

// What stands behind the records of an event, from the end of `Records` on.
std::string window_tail(const ChangeSettings& settings, std::string_view source_arn, size_t slice,
                        const HookWindow& window, WindowCall kind);
// A call without records, kFinal or kEarly.
HookCall window_call(const ChangeSettings& settings, std::string_view source_arn, size_t slice,
                     const HookWindow& window, WindowCall kind);

// Stored in front of the text of the slice's lanes.
std::string window_text(const HookWindow& window);
// Takes it from the front of the text; nullopt, and the text stays as it is, if none is there.
std::optional<HookWindow> take_window(std::string_view& text);
// end_ms of the window in that text, without a look at its state.
std::optional<int64_t> window_end_in(std::string_view text);

}  // namespace partita::sinks
