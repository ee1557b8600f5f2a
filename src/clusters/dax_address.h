// Where clients reach the DAX protocol of this server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace partita::clusters {

struct DaxAddress {
  struct Place {
    std::string host = {};  // without brackets; empty: the name by which a caller has reached the server
    uint16_t port = 0;
  };
  // One for each server that clients may use; none: the server does not offer this.
  std::vector<Place> plain = {};      // of dax://
  std::vector<Place> encrypted = {};  // of daxs://
};

}  // namespace partita::clusters
