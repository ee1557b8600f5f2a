// How far a verb is, for people: one line that changes on a terminal, and a line now and then elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/function_ref.h"

namespace partita::cli {

// "12.5 MiB"
std::string mebibytes(uint64_t bytes);

// "12.5 of about 100.0 MiB (12 %), about 21 s left"; "12.5 MiB" when `total` is 0, or less than what is done. How long
// it still takes is told once a second has passed, and is what it took so far, carried on.
std::string progress(uint64_t done_bytes, uint64_t total_bytes, int64_t passed_ns);

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

  // progress(), since this was made.
  std::string so_far(uint64_t done_bytes, uint64_t total_bytes) const;

 private:
  const int64_t began_ns_ = system_clock().monotonic_ns();
  int64_t due_ns_ = 0;
  bool open_line_ = false;
};

}  // namespace partita::cli
