// What a server tells systemd, or whatever else started it and speaks its protocol (sd_notify(3)).
#pragma once

#include <string_view>

namespace partita::app {

// Sends `state`, such as "READY=1", to the socket that NOTIFY_SOCKET names: a path, or an abstract name behind "@".
// Does nothing where there is none; a socket that does not take it within 5 seconds is left alone, as a server is worth
// more than its manager's knowledge of it. Blocks. Not while another thread changes the environment.
void tell_service_manager(std::string_view state);

}  // namespace partita::app
