// The hosts that callers without the rights of an administrator may name in the URL of a sink: those of `partita serve
// --sink-hosts`. A sink sends a table there, and tells what answers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::sinks {

// "HOST", which stands for all its ports, or "HOST:PORT". An IPv6 address has brackets.
bool is_sink_host(std::string_view text);

// Whether all hosts of the URL are among `allowed`. A port matches only as it is written. `name`: that of the URL, for
// the sentence. Error: kInvalid (reason 0), with a sentence.
Result<void> check_sink_hosts(std::string_view url, std::span<const std::string> allowed,
                              std::string_view name = "Url");

}  // namespace partita::sinks
