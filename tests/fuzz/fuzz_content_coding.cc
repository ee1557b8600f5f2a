// Packed bodies and the headers about them: whatever arrives is refused, or is a text within the limit that packs and
// unpacks to itself.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "http/content_coding.h"

using partita::Budget;
using partita::http::Coding;
using partita::http::UnpackedBody;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const Coding coding = (data[0] & 1) != 0 ? Coding::kGzip : Coding::kDeflate;
  const size_t most = size_t{1} << (data[0] >> 1 & 15);
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Coding accepted = partita::http::coding_accepted(body);
  PARTITA_CHECK(accepted == Coding::kIdentity || !partita::http::name_of(accepted).empty());
  const auto named = partita::http::coding_named(body);
  PARTITA_CHECK(!named || *named == Coding::kIdentity || partita::http::name_of(*named).size() <= body.size());
  Budget budget(most * 4);
  UnpackedBody unpacked(budget);
  const auto outcome = unpacked.read(coding, body, most);
  PARTITA_CHECK(outcome != UnpackedBody::Outcome::kNoRoom && budget.used() <= most);
  if (outcome != UnpackedBody::Outcome::kRead) return 0;
  PARTITA_CHECK(unpacked.text().size() <= most);
  if (unpacked.text().empty()) return 0;
  const auto packed = partita::http::pack(coding, unpacked.text());
  if (!packed) return 0;
  Budget other(most * 4);
  UnpackedBody again(other);
  PARTITA_CHECK(packed->size() < unpacked.text().size());
  PARTITA_CHECK(again.read(coding, *packed, most) == UnpackedBody::Outcome::kRead && again.text() == unpacked.text());
  return 0;
}
