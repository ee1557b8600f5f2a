// Where clients reach the DAX protocol of this server.
#pragma once

#include <cstdint>
#include <string>

namespace partita::clusters {

struct DaxAddress {
  struct Place {
    std::string host = {};  // without brackets; empty: the name by which a caller has reached the server
    uint16_t port = 0;      // 0: the server does not offer this
  };
  Place plain = {};      // of dax://
  Place encrypted = {};  // of daxs://
};

}  // namespace partita::clusters
