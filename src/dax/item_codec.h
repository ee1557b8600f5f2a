// The ten calls on items, from the arguments of a request to the reply. Decoders and encoders are those of wire/dax;
// here is what they ask for: tables, and attribute lists.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "dax/caches.h"
#include "dax/database_lists.h"
#include "ops/call_codec.h"
#include "table/rows/schema.h"
#include "wire/cbor.h"
#include "wire/dax/reply.h"
#include "wire/dax/request.h"
#include "wire/dax/scanner.h"

namespace partita::dax {

// Of one call.
class ItemCodec final : public ops::CallCodec, private wire::dax::TableSchemas {
 public:
  // What a call reads and writes. All outlives it.
  struct Wires {
    std::string_view arguments;                 // of the request
    std::string_view request_id;                // for errors
    DatabaseLists* lists;                       // those of the thread; null: the call may be decoded on another thread
    wire::CborWriter& out;                      // gets the reply
    Caches* caches = nullptr;                   // null: every call is answered from the store
    bool always_selects = false;                // see wire::dax::Decoding
    wire::dax::MemorySource* memory = nullptr;  // for what is decoded; null: there is always enough
  };

  // Precondition: `method` is one of the ten.
  ItemCodec(wire::dax::Method method, const Wires& wires);

  const ops::Operation& operation() const override;
  Result<ops::CodecStep> decode(const ops::Context& context) override;
  ops::Execution& execution() override { return *execution_; }
  Result<ops::CodecStep> encode(const ops::Context& context) override;
  Task<Result<void>> fetch(const ops::Context& context) override;

  // Of a call that failed: whether the codec has written the reply, since only it can. That is so of a cancelled
  // transaction with items, which need attribute lists, and of a write that was done but has no other reply: its error
  // must not make the client repeat it.
  bool write_failure();
  // Whether a write was done. Its reply must not be replaced by an error that clients retry.
  bool has_written() const { return has_run_ && operation().kind != ops::Kind::kRead; }

 private:
  struct Row;
  template <bool kCached>
  struct Rows;
  class TransactWrite;
  using Encoder =
      std::variant<std::monostate, wire::dax::RangeEncoder, wire::dax::BatchGetEncoder, wire::dax::TransactGetEncoder>;

  // A table that the request names, so that its schema stays the same until the call is done.
  struct Held {
    table::Table table;
    std::string arn;  // as the request has it; empty: it has the name

    bool is(std::string_view name) const { return name == (arn.empty() ? table->name : arn); }
  };

  static const Row& row_of(wire::dax::Method method, bool cached);
  const model::KeySchema* find(std::string_view name) override;
  template <class Done>
  void give_table(Done& execution);
  const DatabaseLists::Lists& lists_of(const ops::Context& context);
  void note_names(ops::RequestFootprint* footprint) const;
  wire::dax::Encoding& encoding();
  wire::dax::MissingLists& missing() { return encoding_ ? encoding_->missing : decoding_->missing; }
  Task<void> write_cancellation(const ops::Context& context, const api::TransactWriteRequest& request,
                                const Error& error);

  template <class Done, auto kEncode>
  static Result<ops::CodecStep> encode_whole(ItemCodec& codec);
  template <class Done, class InPieces>
  static Result<ops::CodecStep> encode_in_pieces(ItemCodec& codec);

  const Row& row_;
  const Wires wires_;
  const ops::Context* context_ = nullptr;  // of decode()
  DatabaseLists::Lists lists_;
  std::optional<Held> table_;  // the first one
  bool found_now_ = false;     // by this decode()
  std::vector<Held> more_tables_;
  std::vector<std::string> unknown_tables_;
  std::optional<Error> stale_;  // a table may be known after a look into the store
  bool looked_ = false;         // there
  std::optional<wire::dax::Decoding> decoding_;
  std::optional<wire::dax::Encoding> encoding_;
  std::unique_ptr<ops::Execution> execution_;
  Encoder encoder_;
  bool has_run_ = false;  // successfully
  bool wrote_failure_ = false;
};

}  // namespace partita::dax
