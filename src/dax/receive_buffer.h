// The bytes that a connection has received and not yet answered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/budget.h"
#include "net/request_resources.h"

namespace partita::dax {

// For one thread.
class ReceiveBuffer {
 public:
  explicit ReceiveBuffer(Budget& budget) : share_(budget) {}

  // Room to read into, so that a request of at least `expected` bytes becomes whole; empty if there is no memory for
  // it. What bytes() returned before is no longer valid.
  std::span<char> space(size_t expected) {
    if (begin_ > 0) {
      std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
      end_ -= std::exchange(begin_, 0);
    }
    const size_t next = capacity_ < net::kSmallRequest ? 2 * capacity_ : capacity_ + capacity_ / 4;
    const bool fits = capacity_ - end_ >= kLeastRoom || grow(std::max({expected + kLeastRoom, next, kFirstCapacity}));
    if (!fits) return {};
    // A large request must not block the thread's other connections.
    return {data_.get() + end_, std::min(capacity_ - end_, net::kSmallRequest)};
  }
  void received(size_t size) { end_ += size; }

  std::string_view bytes() const { return {data_.get() + begin_, end_ - begin_}; }
  // Forgets the first `size` bytes.
  void consume(size_t size) {
    begin_ += size;
    if (begin_ < end_) return;
    begin_ = end_ = 0;
    if (capacity_ > kKeptCapacity) release();
  }
  void release() {
    data_.reset();
    begin_ = end_ = capacity_ = 0;
    share_.release();
  }

 private:
  static constexpr size_t kFirstCapacity = 2048;
  static constexpr size_t kKeptCapacity = 16384;
  static constexpr size_t kLeastRoom = 512;

  bool grow(size_t capacity) {
    if (!net::RequestResources::take(share_, capacity)) return false;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (end_ > 0) std::memcpy(larger.get(), data_.get(), end_);
    data_ = std::move(larger);
    capacity_ = capacity;
    return true;
  }

  BudgetShare share_;
  std::unique_ptr<char[]> data_;
  size_t capacity_ = 0;
  size_t begin_ = 0;  // of the bytes that are not consumed
  size_t end_ = 0;
};

}  // namespace partita::dax
