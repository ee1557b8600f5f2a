// HTTP: a connection's bytes must be cut into the same requests however they arrive. The first byte says in pieces of
// which size they do.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "http/request_reader.h"
#include "input.h"

namespace partita::fuzz {
namespace {

using http::RequestReader;
using State = RequestReader::State;

constexpr size_t kMostInput = 4096;
// Longer than any input: when a head is too large, it depends on the pieces where that is noticed.
constexpr RequestReader::Limits kWide = {.head_bytes = kMostInput + 1, .body_bytes = 512};
constexpr RequestReader::Limits kNarrow = {.head_bytes = 64, .body_bytes = 16};

std::string describe(const RequestReader& reader) {
  std::string text = std::to_string(static_cast<int>(reader.method()));
  for (const std::string_view part : {reader.target(), reader.header("content-type"), reader.header("x-amz-target"),
                                      reader.header("host"), reader.header(""), reader.body()}) {
    text += " [" + std::string(part) + "]";
  }
  text += reader.keep_alive() ? " stays" : " goes";
  return text + (reader.expects_continue() ? " waits" : "");
}

// All requests, and how reading ended.
std::vector<std::string> read_all(RequestReader::Limits limits, std::string_view bytes, size_t piece) {
  Budget budget(size_t{1} << 20);
  RequestReader reader(limits, budget);
  std::vector<std::string> requests;
  State state = State::kMore;
  while (true) {
    if (state == State::kComplete) {
      PARTITA_CHECK(reader.head_complete() && reader.body().size() <= limits.body_bytes);
      requests.push_back(describe(reader));
      if (!reader.keep_alive()) return requests;  // the connection would be closed here
      state = reader.next();
    } else if (state != State::kMore) {
      requests.emplace_back("refused");  // of two faults, the pieces decide which is seen first
      return requests;
    } else if (bytes.empty()) {
      requests.emplace_back(reader.head_complete() ? "in a body" : "in a head");
      return requests;
    } else {
      const std::span<char> space = reader.space();
      PARTITA_CHECK(!space.empty());
      const size_t size = std::min({piece, space.size(), bytes.size()});
      std::memcpy(space.data(), bytes.data(), size);
      bytes.remove_prefix(size);
      state = reader.received(size);
    }
  }
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::fuzz;
  if (size > kMostInput) return -1;
  Input in(data, size);
  const size_t piece = 1 + in.byte();
  PARTITA_CHECK(read_all(kWide, in.rest(), piece) == read_all(kWide, in.rest(), kMostInput));
  read_all(kNarrow, in.rest(), piece);
  return 0;
}
