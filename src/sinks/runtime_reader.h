// Requests of Lambda's Runtime API, out of the bytes of a connection.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::sinks {

// A request of a runtime, as it is on the wire.
struct RuntimeRequest {
  std::string method;
  std::string path;
  std::string body;
  bool is_too_large = false;  // its body: it is left out, and the reader is of no more use
};

// Takes requests of a connection out of its bytes. For one thread.
class RuntimeReader {
 public:
  static constexpr size_t kMostHead = size_t{16} << 10;
  static constexpr size_t kMostBody = size_t{6} << 20;

  void add(std::string_view bytes) { bytes_ += bytes; }
  // A whole request, once it is there. Error: kInvalid: these bytes are none, so the connection is of no use.
  Result<std::optional<RuntimeRequest>> next();

 private:
  // False: more bytes are needed.
  Result<bool> take_head();
  Result<bool> take_sized();
  Result<bool> take_chunks();
  bool too_large();

  std::string bytes_;
  size_t searched_ = 0;  // of the head
  bool has_head_ = false;
  bool is_chunked_ = false;
  size_t size_ = 0;
  RuntimeRequest request_;
};

}  // namespace partita::sinks
