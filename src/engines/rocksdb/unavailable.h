// The error of a file or a directory that cannot be read or written.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace partita::rocks {

// kUnavailable. `sentence`: what failed and why, for an operator.
inline Error unavailable(std::string sentence) { return Error(ErrorKind::kUnavailable, std::move(sentence)); }

}  // namespace partita::rocks
