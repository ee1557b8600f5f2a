// Notifications to systemd, or to another service manager with its protocol (sd_notify(3)).
#pragma once

#include <string_view>

namespace partita::app {

// Sends `state`, such as "READY=1", to the socket that NOTIFY_SOCKET names: a path, or "@" and an abstract name. Does
// nothing without that variable, and gives up after 5 seconds. Blocks. No other thread may change the environment
// meanwhile.
void tell_service_manager(std::string_view state);

}  // namespace partita::app
