// How far a verb is, for people: one line that changes on a terminal, and a line now and then elsewhere.
#pragma once

#include <string>

#include "base/function_ref.h"

namespace partita::app {

// "12.5 MiB"
std::string mebibytes(uint64_t bytes);

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
