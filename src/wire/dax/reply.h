// Replies of DAX. Each function writes one reply as a whole, from the empty array that says that there is no error to
// the last value. authorizeConnection has no reply.
//
// Encoders do not wait: if Encoding::missing is not empty afterwards, what was written is of no use. The caller cuts it
// off, loads the lists (wire/dax/lists.h), and calls the encoder again.
//
// Errors: kCorrupt; kTableNotFound if a table has no schema any more; kKeySchemaMismatch if it has another one than the
// items. What was written is then incomplete.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/reads.h"
#include "api/writes.h"
#include "base/result.h"
#include "model/attribute_list.h"
#include "model/key.h"
#include "wire/cbor.h"
#include "wire/dax/item_values.h"
#include "wire/dax/lists.h"
#include "wire/dax/request.h"

namespace partita::wire::dax {

// Of one call. `tables` has the schemas with which the request was decoded.
struct Encoding {
  TableSchemas& tables;
  KnownLists& lists;
  MissingLists missing;
};

void encode_key_schema(CborWriter& out, const model::KeySchema& schema);
void encode_list_id(CborWriter& out, uint64_t id);
void encode_list(CborWriter& out, const model::AttributeList& list);

Result<void> encode_get(CborWriter& out, const api::GetRequest& request, const api::GetReply& reply,
                        Encoding& encoding);
// PutItem, UpdateItem and DeleteItem.
Result<void> encode_write(CborWriter& out, const api::WriteRequest& request, const api::WriteReply& reply,
                          Encoding& encoding);
Result<void> encode_batch_write(CborWriter& out, const api::BatchWriteRequest& request, const api::WritesReply& reply,
                                Encoding& encoding);
void encode_transact_write(CborWriter& out, const api::TransactWriteRequest& request, const api::WritesReply& reply);

// Replies that may be long are written in pieces.
enum class Progress : uint8_t {
  kDone,
  kMore,     // a piece is written; call next() again, after other work
  kMissing,  // load the lists in Encoding::missing, then call next() again; nothing is to be cut off
};
inline constexpr size_t kReplyPieceBytes = size_t{64} << 10;

// Writes the elements of a reply one after the other, and comes back to the first one whose list is missing. Up to the
// end of its piece it collects what else is missing.
class ElementWriter {
 public:
  explicit ElementWriter(MissingLists& missing) : missing_(missing) {}

  // `write` writes the element of that position, and may write more behind it, though none after it has written so many
  // bytes. It returns a Result of how many it wrote.
  template <class Write>
  Result<Progress> next(CborWriter& out, size_t count, Write write) {
    missing_.loaded.clear();  // the elements that needed them are written below, in any case
    const size_t begin = out.size();
    size_t written = begin;
    for (size_t i = at_; i < count;) {
      PARTITA_TRY(const size_t more, write(i, kReplyPieceBytes - (out.size() - begin)));
      i += more;
      if (missing_.empty()) {
        at_ = i;
        written = out.size();
      }
      if (missing_.names.size() >= kMostMissing || out.size() - begin >= kReplyPieceBytes) break;
    }
    out.cut(written);
    if (!missing_.empty()) return Progress::kMissing;
    return at_ == count ? Progress::kDone : Progress::kMore;
  }

 private:
  // A call that loads lists a hundred times for one reply fails, and a page of a Query may need tens of thousands.
  static constexpr size_t kMostMissing = 4096;

  MissingLists& missing_;
  size_t at_ = 0;
};

// Query and Scan. All arguments outlive it.
class RangeEncoder {
 public:
  RangeEncoder(CborWriter& out, const api::RangeRequest& request, const api::RangeReply& reply, Encoding& encoding)
      : out_(out), request_(request), reply_(reply), encoding_(encoding), elements_(encoding.missing) {}
  Result<Progress> next();

 private:
  Result<void> begin();
  Result<size_t> write(size_t item, size_t most_bytes);
  Result<void> end();

  CborWriter& out_;
  const api::RangeRequest& request_;
  const api::RangeReply& reply_;
  Encoding& encoding_;
  ElementWriter elements_;
  const model::KeySchema* schema_ = nullptr;
  std::optional<ItemValues> values_;
};

// All arguments outlive it.
class BatchGetEncoder {
 public:
  BatchGetEncoder(CborWriter& out, const api::BatchGetRequest& request, const api::BatchGetReply& reply,
                  Encoding& encoding)
      : out_(out), request_(request), reply_(reply), encoding_(encoding), elements_(encoding.missing) {}
  Result<Progress> next();

 private:
  struct Element {
    size_t part;
    const api::ReadItem* item;  // null: the begin of the part
  };

  Result<void> begin();
  Result<void> write(const Element& element);
  Result<void> end();

  CborWriter& out_;
  const api::BatchGetRequest& request_;
  const api::BatchGetReply& reply_;
  Encoding& encoding_;
  ElementWriter elements_;
  std::vector<Element> order_;
  std::vector<const model::KeySchema*> schemas_;  // one for each part
  std::optional<ItemValues> values_;              // of the part
  size_t part_ = 0;
};

// All arguments outlive it.
class TransactGetEncoder {
 public:
  TransactGetEncoder(CborWriter& out, const api::TransactGetRequest& request, const api::TransactGetReply& reply,
                     Encoding& encoding)
      : out_(out), request_(request), reply_(reply), encoding_(encoding), elements_(encoding.missing) {}
  Result<Progress> next();

 private:
  Result<void> write(size_t part);

  CborWriter& out_;
  const api::TransactGetRequest& request_;
  const api::TransactGetReply& reply_;
  Encoding& encoding_;
  ElementWriter elements_;
  bool begun_ = false;
};

}  // namespace partita::wire::dax
