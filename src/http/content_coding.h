// The content codings of HTTP that DynamoDB knows: gzip (RFC 1952), and deflate, which is the zlib format (RFC 1950).
//
// It accepts what AWS accepts according to Alternator's tests, which run against AWS: several gzip members in a row are
// one text; bytes after them that begin no member are ignored; only the first zlib stream is read.
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

// Its name in headers; empty for kIdentity.
std::string_view name_of(Coding coding);

// The coding that the value of a Content-Encoding header names; kIdentity for an empty value; nothing for any other
// name or a list.
std::optional<Coding> coding_named(std::string_view content_encoding);

// The coding for a reply to a request with this Accept-Encoding header, by AWS's rules: the largest weight wins, then
// the first; "*" stands for the codings that are not named, gzip before deflate, and comes after those that are;
// identity does not count; a weight that is no number is 1.
Coding coding_accepted(std::string_view accept_encoding);

// Whether a client with this Accept-Encoding header takes that coding, such as "br".
bool accepts(std::string_view accept_encoding, std::string_view coding);

// `plain` in that coding; nothing if that is not shorter, or if there is no memory. Precondition: not kIdentity.
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

  // Unpacks at most `most` bytes, in place of an earlier text. Precondition: not kIdentity. Throws std::bad_alloc.
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
