// What the on-failure destination of a hook is told about records that are given up: the invocation record that Lambda
// writes for a stream, with the event in `payload` as it has for S3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sinks/change_destination.h"
#include "sinks/hook_call.h"

namespace partita::sinks {

// The slice as a shard of a stream.
std::string hook_shard_id(const ChangeSettings& settings, size_t slice);
// The function's ARN, which is made of the sink's name.
std::string hook_function_arn(const ChangeSettings& settings);

struct HookFailure {
  bool is_too_old = false;  // otherwise no retries are left
  int64_t calls = 0;        // with these records, which all failed
  size_t slice = 0;
  int64_t first_ms = 0;  // when the first and the last record were written
  int64_t last_ms = 0;
};

// `event`: the records that are given up, at least one. The id of the call is the same for the same records.
HookCall failure_call(const ChangeSettings& settings, std::string_view source_arn, const HookFailure& failure,
                      const HookCall& event, int64_t now_ms);

}  // namespace partita::sinks
