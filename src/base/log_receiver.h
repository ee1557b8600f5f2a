// Where log lines go instead of stderr, for a program that Partita is only a part of.
#pragma once

#include <string_view>

#include "base/log.h"

namespace partita {

// Called on any thread, with a line and its newline. It must not log.
using LogReceiver = void (*)(LogLevel level, std::string_view line) noexcept;

// From now on; null: to stderr again. Callable from any thread.
void set_log_receiver(LogReceiver receiver);

}  // namespace partita
