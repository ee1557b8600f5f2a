#include "dax/definitions.h"

#include <array>
#include <span>
#include <utility>

#include "model/fault.h"
#include "model/limits.h"
#include "ops/authorisation.h"
#include "ops/execution.h"
#include "ops/footprint.h"
#include "ops/resource_arn.h"
#include "table/open/database.h"
#include "wire/dax/arguments.h"
#include "wire/dax/reply.h"
#include "wire/dax/value.h"
#include "wire/shape.h"

namespace partita::dax {

namespace {

using model::Fault;
using model::refuse;
using ops::CodecStep;
using wire::dax::Method;

// Who may do one of these with a table, or one of kOfIndexes with an index, may know its key. The first one reads it.
constexpr std::array<std::string_view, 10> kOfTables = {
    "dynamodb:DescribeTable",  "dynamodb:GetItem",           "dynamodb:Query", "dynamodb:PutItem",
    "dynamodb:UpdateItem",     "dynamodb:DeleteItem",        "dynamodb:Scan",  "dynamodb:BatchGetItem",
    "dynamodb:BatchWriteItem", "dynamodb:ConditionCheckItem"};
constexpr std::array<std::string_view, 2> kOfIndexes = {"dynamodb:Query", "dynamodb:Scan"};
// What clients need the id of a new list for.
constexpr std::array<std::string_view, 2> kPuts = {"dynamodb:PutItem", "dynamodb:BatchWriteItem"};

Error malformed(std::string what) { return refuse(Fault::kDaxMalformed, {std::move(what)}); }

// The names of a list are those of an item that will be put, and nearly always by itself.
Error as_of_put(Error error) { return wire::dax::worded_error(std::move(error), wire::shapes::kPutItem); }

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
  if (!table.ok() && !absent_ && table::Database::binds_again(table.error())) {
    stale_ = std::move(table).error();
    return CodecStep::kFetch;
  }
  Result<void> outcome = check_rights(context, name, table.ok() ? table->get() : nullptr);
  if (!outcome.ok() && ops::Authorisation::is_not_loaded(outcome.error())) {
    unloaded_ = std::move(outcome).error();
    return CodecStep::kFetch;
  }
  if (outcome.ok() && !table.ok()) outcome = absent_ ? *absent_ : std::move(table).error();
  if (!outcome.ok()) {
    if (context.footprint != nullptr && wire::dax::is_item_table(name)) context.footprint->name(std::string(name));
    return std::move(outcome).error();
  }
  wire::dax::encode_key_schema(out_, (*table)->keys);
  return CodecStep::kDone;
}

// Of those who may do nothing with a table, nobody learns whether it exists.
Result<void> DefinitionCodec::check_rights(const ops::Context& context, std::string_view name,
                                           const table::TableInfo* table) {
  if (context.caller.identity == nullptr || !wire::dax::is_item_table(name)) return {};
  PARTITA_TRY(const std::string plain_name, ops::table_name_of(name, context));
  if (!authorizer_) authorizer_.emplace(context);
  table::Access access;
  access.verb = table::Verb::kControl;
  access.name = plain_name;
  access.owner = table;
  // The first decision other than a refusal counts.
  const auto check_any = [&](std::span<const std::string_view> actions) {
    Result<void> checked;
    for (const std::string_view action : actions) {
      checked = authorizer_->check_name(access, action, false);
      if (checked.ok() || !ops::Authorisation::is_refusal(checked.error())) break;
    }
    return checked;
  };
  Result<void> checked = check_any(kOfTables);
  if (table != nullptr) {
    for (const table::IndexInfo& index : table->indexes) {
      if (checked.ok() || !ops::Authorisation::is_refusal(checked.error())) break;
      access.index = &index;
      checked = check_any(kOfIndexes);
    }
    access.index = nullptr;
  }
  if (checked.ok() || !ops::Authorisation::is_refusal(checked.error())) return checked;
  return authorizer_->check_name(access, kOfTables.front(), true);
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
    auto known = co_await context.database.before_binding_again(error);
    if (!known.ok() && known.error().kind() == ErrorKind::kInvalid) {
      absent_ = std::move(known).error();
      co_return Result<void>();
    }
    co_return known;
  }
  if (unloaded_) {
    const Error error = *std::exchange(unloaded_, std::nullopt);
    co_return co_await authorizer_->load(error);
  }
  table::AttributeLists& lists = context.database.attribute_lists();
  if (method_ == Method::kDefineAttributeListId) {
    PARTITA_CO_TRY_VOID(co_await context.admission.authorisation().check_some_table(context, kPuts));
    auto names = read_names();
    if (!names.ok()) co_return as_of_put(std::move(names).error());
    auto stored = co_await lists.store(std::move(names).value());
    if (!stored.ok()) co_return as_of_put(std::move(stored).error());
    list_ = std::move(stored).value();
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
