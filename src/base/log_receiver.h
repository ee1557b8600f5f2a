// Where log lines go instead of stderr, for a program that Partita is only a part of.
#pragma once

#include <cstdint>
#include <string_view>

namespace partita {

enum class LogLevel : uint8_t;  // base/log.h

// Called on any thread, with a line and its newline. It must not log.
using LogReceiver = void (*)(LogLevel level, std::string_view line) noexcept;

// From now on; null: to stderr again. Callable from any thread.
void set_log_receiver(LogReceiver receiver);

}  // namespace partita
