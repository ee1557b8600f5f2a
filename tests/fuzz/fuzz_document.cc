// Bodies of CloudWatch's calls as CBOR, and rows of metrics: what can be read is written as what reads back the same.
//
// Input: the first byte says which; then the body or the row.
#include <string>
#include <string_view>

#include "base/check.h"
#include "input.h"
#include "metrics/chunk.h"
#include "metrics/known_series.h"
#include "wire/document.h"

namespace partita::fuzz {
namespace {

void try_cbor(std::string_view body) {
  const auto read = wire::read_cbor(body);
  if (!read.ok()) return;
  const std::string written = wire::write_cbor(*read);
  const auto again = wire::read_cbor(written);
  PARTITA_CHECK(again.ok());
  PARTITA_CHECK(wire::write_cbor(*again) == written);
}

void try_known_series(std::string_view row) {
  const auto read = metrics::KnownSeries::read(row);
  if (!read.ok()) return;
  const auto again = metrics::KnownSeries::read(read->row());
  PARTITA_CHECK(again.ok() && again->entries() == read->entries());
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::fuzz;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      try_cbor(rest);
      break;
    case 1:
      static_cast<void>(partita::metrics::read_chunk(rest).ok());
      break;
    default:
      try_known_series(rest);
  }
  return 0;
}
