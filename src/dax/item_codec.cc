#include "dax/item_codec.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "dax/batch_write.h"
#include "dax/cached_reads.h"
#include "dax/cached_writes.h"
#include "model/fault.h"
#include "ops/execution.h"
#include "ops/footprint.h"
#include "table/open/database.h"
#include "wire/dax/error.h"

namespace partita::dax {

namespace {

using model::Fault;
using model::refuse;
using ops::CodecStep;
using wire::dax::Decoding;
using wire::dax::Method;
using wire::dax::Progress;

using Executing = Result<std::unique_ptr<ops::Execution>>;
using BatchGet = ops::ItemExecutionOf<api::BatchGetRequest, table::BatchGetPlan, api::BatchGetReply>;

// More rounds than lists of one failed transaction can need.
constexpr int kMaxRounds = 4;

// Runs on the table with whose schema the request was decoded; if that was changed, on what it has become.
template <class Done>
class OnFoundTable final : public Done {
 public:
  using Done::Done;
  // `table` outlives the run.
  void use(const table::Table& table) { table_ = &table; }

 private:
  Result<void> prepare(const ops::Context& context, ops::RequestAuthorizer& checker) override {
    if (table_ == nullptr) return Done::prepare(context, checker);
    return this->prepare_with(*std::exchange(table_, nullptr), checker);
  }

  const table::Table* table_ = nullptr;
};

template <class Done, auto kDecode>
Executing decode_as(wire::CborReader& in, Decoding& decoding) {
  auto execution = std::make_unique<Done>([&] { return kDecode(in, decoding); });
  if (!execution->decoded().ok()) return std::move(execution->decoded()).error();
  return std::unique_ptr<ops::Execution>(std::move(execution));
}

template <class Done, auto kDecode>
Executing decode_cached(wire::CborReader& in, Decoding& decoding, const ItemCodec::Wires& wires) {
  PARTITA_TRY(auto request, kDecode(in, decoding));
  if constexpr (std::is_constructible_v<Done, Caches&, decltype(request), std::string_view>) {
    return std::unique_ptr<ops::Execution>(std::make_unique<Done>(*wires.caches, std::move(request), wires.arguments));
  } else {
    return std::unique_ptr<ops::Execution>(std::make_unique<Done>(wires.caches, std::move(request)));
  }
}

Result<void> encode_transaction(wire::CborWriter& out, const api::TransactWriteRequest& request,
                                const api::WritesReply& reply, wire::dax::Encoding& /*encoding*/) {
  wire::dax::encode_transact_write(out, request, reply);
  return {};
}

}  // namespace

// Writes the error of a cancelled transaction itself: the items in it may have lists that are not known yet.
class ItemCodec::TransactWrite final : public ops::Execution {
 public:
  TransactWrite(ItemCodec& codec, api::TransactWriteRequest request)
      : codec_(codec), execution_(codec.wires_.caches, std::move(request)) {}

  Task<Result<void>> run(const ops::Context& context) override {
    auto done = co_await execution_.run(context);
    if (!done.ok()) co_await codec_.write_cancellation(context, request(), done.error());
    co_return done;
  }
  void visit_names(ops::VisitName visit) override { execution_.visit_names(visit); }
  const api::TransactWriteRequest& request() const { return execution_.request(); }
  const api::WritesReply& reply() const { return execution_.reply(); }

 private:
  ItemCodec& codec_;
  CachedTransactWrite execution_;
};

struct ItemCodec::Row {
  const ops::Operation& operation;
  // Null: of a transaction that writes.
  Executing (*decode)(wire::CborReader& in, ItemCodec& codec);
  Result<CodecStep> (*encode)(ItemCodec& codec);
};

template <class Done, auto kEncode>
Result<CodecStep> ItemCodec::encode_whole(ItemCodec& codec) {
  const auto& done = static_cast<const Done&>(*codec.execution_);
  const size_t begin = codec.wires_.out.size();
  PARTITA_TRY_VOID(kEncode(codec.wires_.out, done.request(), done.reply(), codec.encoding()));
  if (codec.missing().empty()) return CodecStep::kDone;
  codec.wires_.out.cut(begin);
  return CodecStep::kFetch;
}

template <class Done, class InPieces>
Result<CodecStep> ItemCodec::encode_in_pieces(ItemCodec& codec) {
  const auto& done = static_cast<const Done&>(*codec.execution_);
  auto* encoder = std::get_if<InPieces>(&codec.encoder_);
  if (encoder == nullptr) {
    encoder = &codec.encoder_.emplace<InPieces>(codec.wires_.out, done.request(), done.reply(), codec.encoding());
  }
  PARTITA_TRY(const Progress progress, encoder->next());
  if (progress == Progress::kDone) return CodecStep::kDone;
  return progress == Progress::kMore ? CodecStep::kYield : CodecStep::kFetch;
}

// The rows of the ten methods, of a server with caches or without.
template <bool kCached>
struct ItemCodec::Rows {
  using Get = std::conditional_t<kCached, CachedGet, OnFoundTable<ops::GetItemExecution>>;
  using GetBatch = std::conditional_t<kCached, CachedBatchGet, BatchGet>;
  using Range = std::conditional_t<kCached, CachedRange, OnFoundTable<ops::RangeExecution>>;
  using Write = std::conditional_t<kCached, CachedWrite, OnFoundTable<ops::WriteItemExecution>>;
  using TransactGet = ops::TransactGetExecution;

  template <class Done, auto kDecode>
  static Executing decode(wire::CborReader& in, ItemCodec& codec) {
    if constexpr (!requires { &Done::decoded; }) {
      return decode_cached<Done, kDecode>(in, *codec.decoding_, codec.wires_);
    } else {
      Executing made = decode_as<Done, kDecode>(in, *codec.decoding_);
      if constexpr (requires { &Done::use; }) {
        if (made.ok()) codec.give_table(static_cast<Done&>(**made));
      }
      return made;
    }
  }

  static const Row& of(Method method) {
    using namespace wire::dax;
    const auto named = [](std::string_view name) -> const ops::Operation& { return *ops::find_operation(name); };
    static const std::array<std::pair<Method, Row>, 10> rows = {{
        {Method::kGetItem, {named("GetItem"), decode<Get, decode_get>, encode_whole<Get, encode_get>}},
        {Method::kPutItem, {named("PutItem"), decode<Write, decode_put>, encode_whole<Write, encode_write>}},
        {Method::kUpdateItem, {named("UpdateItem"), decode<Write, decode_update>, encode_whole<Write, encode_write>}},
        {Method::kDeleteItem, {named("DeleteItem"), decode<Write, decode_delete>, encode_whole<Write, encode_write>}},
        {Method::kQuery, {named("Query"), decode<Range, decode_query>, encode_in_pieces<Range, RangeEncoder>}},
        {Method::kScan, {named("Scan"), decode<Range, decode_scan>, encode_in_pieces<Range, RangeEncoder>}},
        {Method::kBatchGetItem,
         {named("BatchGetItem"), decode<GetBatch, decode_batch_get>, encode_in_pieces<GetBatch, BatchGetEncoder>}},
        {Method::kBatchWriteItem,
         {named("BatchWriteItem"), decode<BatchWrite, decode_batch_write>,
          encode_whole<BatchWrite, encode_batch_write>}},
        {Method::kTransactGetItems,
         {named("TransactGetItems"), decode<TransactGet, decode_transact_get>,
          encode_in_pieces<TransactGet, TransactGetEncoder>}},
        {Method::kTransactWriteItems,
         {named("TransactWriteItems"), nullptr, encode_whole<TransactWrite, encode_transaction>}},
    }};
    const auto* const found = std::ranges::find(rows, method, &std::pair<Method, Row>::first);
    PARTITA_CHECK(found != rows.end());
    return found->second;
  }
};

const ItemCodec::Row& ItemCodec::row_of(Method method, bool cached) {
  return cached ? Rows<true>::of(method) : Rows<false>::of(method);
}

ItemCodec::ItemCodec(Method method, const Wires& wires)
    : row_(row_of(method, wires.caches != nullptr)), wires_(wires) {}

const ops::Operation& ItemCodec::operation() const { return row_.operation; }

// --- what coders ask for

const model::KeySchema* ItemCodec::find(std::string_view name) {
  if (table_ && table_->is(name)) return &table_->table->keys;
  const auto known = std::ranges::find_if(more_tables_, [&](const Held& one) { return one.is(name); });
  if (known != more_tables_.end()) return &known->table->keys;
  auto table = ops::find_table(name, *context_);
  if (!table.ok()) {
    if (!looked_ && table::Database::binds_again(table.error())) {
      stale_ = std::move(table).error();
    } else {
      unknown_tables_.emplace_back(name);
    }
    return nullptr;
  }
  Held held{std::move(table).value(), {}};
  if (held.table->name != name) held.arn = name;
  if (!table_) {
    found_now_ = true;
    return &table_.emplace(std::move(held)).table->keys;
  }
  return &more_tables_.emplace_back(std::move(held)).table->keys;
}

// One look for the table serves the request, the execution and the reply.
template <class Done>
void ItemCodec::give_table(Done& execution) {
  if (!table_) find(execution.request().table);
  if (found_now_) execution.use(table_->table);
}

const DatabaseLists::Lists& ItemCodec::lists_of(const ops::Context& context) {
  if (lists_ == nullptr) {
    lists_ = wires_.lists != nullptr ? wires_.lists->of(context.database.attribute_lists().number())
                                     : std::make_shared<wire::dax::KnownLists>();
  }
  return lists_;
}

wire::dax::Encoding& ItemCodec::encoding() {
  if (!encoding_) encoding_.emplace(static_cast<TableSchemas&>(*this), *lists_);
  return *encoding_;
}

Task<Result<void>> ItemCodec::fetch(const ops::Context& context) {
  if (stale_) {
    const Error error = *std::exchange(stale_, std::nullopt);
    const auto known = co_await context.database.before_binding_again(error);
    // If there is no such table, what binds the request says so, in the words that its caller may read.
    looked_ = !known.ok();
    const bool unknown = !known.ok() && known.error().kind() == ErrorKind::kInvalid &&
                         model::fault_of(known.error()) == Fault::kResourceNotFound;
    co_return unknown ? Result<void>() : known;
  }
  table::AttributeLists& stored = context.database.attribute_lists();
  wire::dax::MissingLists& missing = this->missing();
  if (!missing.ids.empty()) {
    PARTITA_CO_TRY(std::vector<model::AttributeListPtr> found, co_await stored.find_all(missing.ids));
    const auto unknown = std::ranges::find(found, nullptr);
    if (unknown != found.end()) {
      const uint64_t id = missing.ids[static_cast<size_t>(unknown - found.begin())];
      co_return refuse(Fault::kDaxUnknownList, {std::to_string(id)});
    }
    std::ranges::move(found, std::back_inserter(missing.loaded));
  }
  if (!missing.names.empty()) {
    PARTITA_CO_TRY(std::vector<model::AttributeListPtr> made, co_await stored.store_all(std::move(missing.names)));
    std::ranges::move(made, std::back_inserter(missing.loaded));
  }
  lists_->add(missing);
  co_return Result<void>();
}

// --- the steps of a call

Result<CodecStep> ItemCodec::decode(const ops::Context& context) {
  context_ = &context;
  found_now_ = false;
  if (!decoding_) {
    decoding_.emplace(static_cast<TableSchemas&>(*this), *lists_of(context), wire::dax::MissingLists(),
                      wires_.always_selects, wire::dax::DecodedBytes(wires_.memory));
  }
  execution_.reset();
  decoding_->memory.restart();
  unknown_tables_.clear();
  wire::CborReader in(wires_.arguments);
  Result<void> decoded;
  if (row_.decode != nullptr) {
    auto execution = row_.decode(in, *this);
    decoded = execution.ok() ? Result<void>() : Result<void>(std::move(execution).error());
    if (execution.ok()) execution_ = std::move(execution).value();
  } else {
    auto request = wire::dax::decode_transact_write(in, *decoding_);
    decoded = request.ok() ? Result<void>() : Result<void>(std::move(request).error());
    if (request.ok()) execution_ = std::make_unique<TransactWrite>(*this, std::move(request).value());
  }
  // Without a schema that may yet be found, a fault means nothing.
  if (stale_) return CodecStep::kFetch;
  if (!decoded.ok()) {
    note_names(context.footprint);
    return std::move(decoded).error();
  }
  return decoding_->missing.empty() ? CodecStep::kDone : CodecStep::kFetch;
}

void ItemCodec::note_names(ops::RequestFootprint* footprint) const {
  if (footprint == nullptr) return;
  const auto note = [&](const Held& held) { footprint->name(held.arn.empty() ? held.table->name : held.arn); };
  if (table_) note(*table_);
  for (const Held& held : more_tables_) note(held);
  for (const std::string& name : unknown_tables_) footprint->name(name);
}

Result<CodecStep> ItemCodec::encode(const ops::Context&) {
  has_run_ = true;
  return row_.encode(*this);
}

bool ItemCodec::write_failure() {
  if (!has_written()) return wrote_failure_;
  wires_.out.cut(0);
  wire::dax::encode_lost_reply(wires_.out, wires_.request_id);
  return true;
}

Task<void> ItemCodec::write_cancellation(const ops::Context& context, const api::TransactWriteRequest& request,
                                         const Error& error) {
  for (int round = 0; round < kMaxRounds; ++round) {
    wires_.out.cut(0);
    wire::dax::encode_error(wires_.out, error, wires_.request_id, request, encoding());
    wrote_failure_ = missing().empty();
    if (wrote_failure_) co_return;
    const auto fetched = co_await fetch(context);
    if (!fetched.ok()) co_return;
  }
}

}  // namespace partita::dax
