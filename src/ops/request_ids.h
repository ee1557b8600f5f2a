// Ids of requests, which replies and logs have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/random.h"

namespace partita::ops {

// Request ids such as DynamoDB's: 52 capitals and digits. Unique, but not secret. For one thread.
class RequestIds {
 public:
  static constexpr size_t kSize = 52;
  explicit RequestIds(Random& random) : state_(random.next()) {}
  using Id = std::array<char, kSize>;
  void next(Id& id);

 private:
  uint64_t state_;
};

}  // namespace partita::ops
