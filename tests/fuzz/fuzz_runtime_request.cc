// The Runtime API's requests: however the bytes arrive, the same requests are in them, and none is larger than it may
// be.
//
// Input: a byte for the size of the pieces, and the bytes of a connection.
#include <string>
#include <string_view>

#include "input.h"
#include "sinks/runtime_reader.h"

namespace partita::fuzz {
namespace {

using sinks::RuntimeReader;

// All requests, one after the other, and how it ended.
std::string requests_of(std::string_view bytes, size_t piece) {
  RuntimeReader reader;
  std::string all;
  for (bool more = true; more;) {
    reader.add(bytes.substr(0, piece));
    more = !bytes.empty();
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (true) {
      const auto request = reader.next();
      if (!request.ok()) return all + "wrong";
      if (!*request) break;
      PARTITA_CHECK((*request)->body.size() <= RuntimeReader::kMostBody);
      PARTITA_CHECK(!(*request)->method.empty());
      all += (*request)->method + '\n' + (*request)->path + '\n' + (*request)->body + '\n';
      if ((*request)->is_too_large) return all + "too large";
    }
  }
  return all;
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  partita::fuzz::Input in(data, size);
  const size_t piece = 1 + in.choice(100);
  const std::string whole = partita::fuzz::requests_of(in.rest(), in.rest().size() + 1);
  PARTITA_CHECK(partita::fuzz::requests_of(in.rest(), piece) == whole);
  return 0;
}
