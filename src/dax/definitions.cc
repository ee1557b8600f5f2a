#include "dax/definitions.h"

#include <utility>

#include "model/fault.h"
#include "model/limits.h"
#include "ops/execution.h"
#include "table/open/database.h"
#include "wire/dax/reply.h"
#include "wire/dax/value.h"

namespace partita::dax {

namespace {

using model::Fault;
using model::refuse;
using ops::CodecStep;
using wire::dax::Method;

Error malformed(std::string what) { return refuse(Fault::kDaxMalformed, {std::move(what)}); }

}  // namespace

const ops::Operation& DefinitionCodec::operation() const {
  static const ops::Operation& stand_in = *ops::find_operation("DescribeTable");
  return stand_in;
}

Result<CodecStep> DefinitionCodec::decode(const ops::Context& context) {
  if (method_ == Method::kDefineKeySchema) return define_schema(context);
  return list_ == nullptr ? CodecStep::kFetch : CodecStep::kDone;
}

Result<CodecStep> DefinitionCodec::define_schema(const ops::Context& context) {
  wire::CborReader in(arguments_);
  const std::string_view name = in.bytes();
  if (!in.finished()) return malformed("defineKeySchema takes the name of a table");
  auto table = ops::find_table(name, context);
  if (!table.ok()) {
    if (!table::Database::binds_again(table.error())) return std::move(table).error();
    stale_ = std::move(table).error();
    return CodecStep::kFetch;
  }
  wire::dax::encode_key_schema(out_, (*table)->keys);
  return CodecStep::kDone;
}

Result<std::vector<std::string>> DefinitionCodec::read_names() const {
  wire::CborReader in(arguments_);
  if (in.peek_major() == wire::CborMajor::kTag && in.tag() != wire::dax::kStringSetTag) in.fail();  // Java's
  std::vector<std::string> names;
  size_t bytes = 0;
  // No more than is stored: a name of one byte takes more in memory than on the wire.
  for (auto members = in.array(); in.next(members);) {
    const std::string_view name = in.text();
    if (in.ok() && name.empty()) return refuse(Fault::kEmptyAttributeName);
    bytes += name.size();
    if (bytes > model::kMaxItemBytes) return refuse(Fault::kItemTooLarge);
    names.emplace_back(name);
  }
  if (!in.finished()) return malformed("defineAttributeListId takes an array of names");
  return names;
}

Task<Result<void>> DefinitionCodec::fetch(const ops::Context& context) {
  if (stale_) {
    const Error error = *std::exchange(stale_, std::nullopt);
    co_return co_await context.database.before_binding_again(error);
  }
  table::AttributeLists& lists = context.database.attribute_lists();
  if (method_ == Method::kDefineAttributeListId) {
    PARTITA_CO_TRY(std::vector<std::string> names, read_names());
    PARTITA_CO_TRY(list_, co_await lists.store(std::move(names)));
    co_return Result<void>();
  }
  wire::CborReader in(arguments_);
  const int64_t id = in.integer();
  if (!in.finished()) co_return malformed("defineAttributeList takes an id");
  if (id > 0) {
    PARTITA_CO_TRY(list_, co_await lists.find(static_cast<uint64_t>(id)));
  }
  if (list_ == nullptr) co_return refuse(Fault::kDaxUnknownList, {std::to_string(id)});
  co_return Result<void>();
}

Result<CodecStep> DefinitionCodec::encode(const ops::Context&) {
  if (method_ == Method::kDefineKeySchema) return CodecStep::kDone;
  if (method_ == Method::kDefineAttributeListId) {
    wire::dax::encode_list_id(out_, list_->id);
  } else {
    wire::dax::encode_list(out_, *list_);
  }
  return CodecStep::kDone;
}

}  // namespace partita::dax
