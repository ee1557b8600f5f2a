// How far a verb is, for people: one line that changes on a terminal, and a line now and then elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/function_ref.h"

namespace partita::app {

// "12.5 MiB"
std::string mebibytes(uint64_t bytes);

// "1 row", "2 rows"
std::string counted(uint64_t count, std::string_view one, std::string_view many);

class Teller {
 public:
  Teller() = default;
  ~Teller();
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;

  // Says it on stderr, unless something was said less than a second ago.
  void tell(FunctionRef<std::string()> line);

 private:
  int64_t due_ns_ = 0;
  bool open_line_ = false;
};

}  // namespace partita::app
