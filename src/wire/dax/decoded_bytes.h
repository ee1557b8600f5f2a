// What decoded requests take from memory beyond their bytes on the wire: a null is one byte there and an object of tens
// of bytes here.
#pragma once

#include <algorithm>
#include <cstddef>

namespace partita::wire::dax {

class MemorySource {
 public:
  virtual ~MemorySource() = default;
  // False: there is not so much more.
  virtual bool take(size_t bytes) = 0;
};

// Of one request. Small ones take nothing from the source.
class DecodedBytes {
 public:
  // `source` outlives it; null: there is always enough.
  explicit DecodedBytes(MemorySource* source = nullptr) : source_(source) {}

  // Called before the memory is used. False: there is not enough.
  bool take(size_t bytes) {
    if (bytes > left_) [[unlikely]]
      return take_more(bytes);
    left_ -= bytes;
    return true;
  }
  // All that was decoded is gone.
  void restart() { left_ = kFree + taken_; }

 private:
  static constexpr size_t kFree = 16384;
  static constexpr size_t kStep = 65536;

  bool take_more(size_t bytes) {
    const size_t more = std::max(kStep, bytes);
    if (source_ != nullptr && !source_->take(more)) return false;
    taken_ += more;
    left_ += more - bytes;
    return true;
  }

  MemorySource* source_;
  size_t left_ = kFree;
  size_t taken_ = 0;
};

}  // namespace partita::wire::dax
