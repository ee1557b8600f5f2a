// The bodies of a search engine's _bulk API, and what it answers for each item.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sinks/destination.h"

namespace partita::sinks {

// The parts of a reply that read_bulk_reply() looks at, as a parameter of the request: a whole one would be longer than
// some requests.
inline constexpr std::string_view kBulkFilter =
    "filter_path=items.*.status,items.*.error.type,items.*.error.reason,items.*.error.caused_by.reason";

// Operations one after the other, of which any that are neighbours are the body of a request.
class BulkBody {
 public:
  // `document` is a JSON text without line breaks.
  void index(std::string_view id, uint64_t version, std::string_view document);
  void erase(std::string_view id, uint64_t version);
  void clear();

  size_t count() const { return ends_.size(); }
  size_t bytes() const { return text_.size(); }
  // Operations [first, last). Valid until the next change.
  std::string_view slice(size_t first, size_t last) const;

 private:
  void add(std::string_view action, std::string_view id, uint64_t version);

  std::string text_;
  std::vector<size_t> ends_;
};

// What became of one operation.
struct BulkResult {
  bool deletes = false;
  int status = 0;
  std::string error = {};   // the engine's name of it; empty: there was none
  std::string reason = {};  // a sentence of the engine's
};

// Error: kUnavailable, with a sentence: the body is not a reply to `count` operations.
Result<std::vector<BulkResult>> read_bulk_reply(std::string_view body, size_t count);

// True if the index is not there. Its other results tell nothing.
bool is_index_missing(const BulkResult& result);

// True for an error that passes, unless it says that the engine is overloaded or protected. If the engine takes other
// items meanwhile, this one may never pass.
bool is_doubtful(const BulkResult& result);

// What that is for the item. A conflict with a newer version and a delete of what is not there are kDone. An overloaded
// or protected engine (408, 429, 5xx, a block of the index, an account without the right) is kLater. Other errors are
// kRejected.
Outcome outcome_of(BulkResult result);

// A request that was refused as a whole may be accepted in parts: 400, 413, 500.
bool may_halve(int status);

// The sentence in the error of any other reply: "mapper_parsing_exception: ..."; the beginning of the body if there is
// none. At most 1,000 bytes, UTF-8.
std::string search_error_text(std::string_view body);

}  // namespace partita::sinks
