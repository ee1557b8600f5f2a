// Files with secrets, such as passwords of other ends.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::sinks {

// The whole of it. `what` begins sentences: "The credentials in". Error: kUnavailable, with a sentence that holds
// nothing of the file: it cannot be read, or not only its owner can read it.
Result<std::string> read_secret_file(const std::string& file, std::string_view what);

// The first line, without its end.
std::string_view first_line(std::string_view text);

}  // namespace partita::sinks
