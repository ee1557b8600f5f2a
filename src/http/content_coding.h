// The content codings of HTTP that DynamoDB knows: gzip (RFC 1952), and deflate, which is the zlib format (RFC 1950).
//
// What it accepts is what AWS was seen to accept (the suites of Alternator, run against it): several gzip members one
// behind the other are one text; what follows and begins no member is ignored; of zlib only the first stream is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace partita::http {

enum class Coding : uint8_t { kIdentity, kGzip, kDeflate };

// The name that headers have for it; empty for kIdentity.
std::string_view name_of(Coding coding);

// The coding that the value of a Content-Encoding header names; of an empty one kIdentity. Nothing for any other name,
// and for a list of several.
std::optional<Coding> coding_named(std::string_view content_encoding);

// The coding in which the value of an Accept-Encoding header wants a reply, by AWS's rules: the largest weight wins,
// the first of those that have the same; "*" stands for what is not named, gzip before deflate, and goes behind what is
// named; identity does not count; a weight that is no number is 1.
Coding coding_accepted(std::string_view accept_encoding);

// `plain` in that coding; nothing when it would not become shorter, or when there is no memory for it. `coding` is not
// kIdentity.
std::optional<std::string> pack(Coding coding, std::string_view plain);

// The text of a packed body, and its share of the budget.
//
//   UnpackedBody unpacked(budget);
//   auto outcome = unpacked.read(Coding::kGzip, body, size_t{64} << 10);    // quickly, if that suffices
//   if (outcome == UnpackedBody::Outcome::kLarger) outcome = unpacked.read(Coding::kGzip, body, most);
//   if (outcome == UnpackedBody::Outcome::kRead) parse(unpacked.text());
class UnpackedBody {
 public:
  enum class Outcome : uint8_t {
    kRead,
    kLarger,  // than `most` bytes
    kBroken,  // not in that coding, cut short, or its check sum is wrong
    kNoRoom,  // the budget refuses, or there is no memory
  };

  explicit UnpackedBody(Budget& budget) : share_(budget) {}

  // Takes at most `most` bytes. `coding` is not kIdentity. Throws std::bad_alloc. What was read before is gone.
  Outcome read(Coding coding, std::string_view packed, size_t most);

  // Lives as long as this does, until read() is called again.
  std::string_view text() const { return {bytes_.get(), size_}; }

 private:
  bool make_room(size_t bytes);

  BudgetShare share_;
  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
};

}  // namespace partita::http
