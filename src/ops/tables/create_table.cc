#include "ops/json_codec.h"
#include "ops/policy_document.h"
#include "ops/tables/table_reply.h"
#include "ops/tables/table_request.h"

namespace partita::ops {

namespace {

using wire::Field;
using wire::JsonValue;
using wire::Members;

template <class Decode>
std::optional<std::vector<api::IndexRequest>> decode_indexes(const Members& in, Field list, Decode decode_one) {
  if (!in.has(list)) return std::nullopt;
  std::vector<api::IndexRequest> indexes;
  const wire::Shape& shape = in.element_shape(list);
  for (const JsonValue entry : in[list].elements()) indexes.push_back(decode_one(Members(entry, shape)));
  return indexes;
}

api::IndexRequest decode_local(const Members& index) { return decode_index(index, false); }
api::IndexRequest decode_global(const Members& index) { return decode_index(index, true); }

struct CreateTable {
  using Execution = ControlExecutionOf<CreateTable>;
  using Reply = Described;
  using Request = api::CreateTableRequest;

  static Result<Request> decode(const Members& in) {
    PARTITA_TRY_VOID(refuse_named(in, {Field::kGlobalTableSourceArn, Field::kGlobalTableSettingsReplicationMode}));
    auto request = decode_table<Request>(in);
    request.keys = decode_keys(in);
    request.local_indexes = decode_indexes(in, Field::kLocalSecondaryIndexes, decode_local);
    request.global_indexes = decode_indexes(in, Field::kGlobalSecondaryIndexes, decode_global);
    request.vector_indexes = decode_indexes(in, Field::kVectorIndexes, decode_vector_index);
    request.deletion_protection = in.flag(Field::kDeletionProtectionEnabled);
    PARTITA_TRY(const auto table_class, decode_table_class(in));
    request.table_class = table_class.value_or("");
    request.tags = decode_tags(in);
    request.policy = decode_text(in, Field::kResourcePolicy);
    return request;
  }

  static std::vector<std::string_view> other_actions(const Request& request) {
    std::vector<std::string_view> actions;
    if (!request.tags.empty()) actions.emplace_back("dynamodb:TagResource");
    if (request.policy) actions.emplace_back("dynamodb:PutResourcePolicy");
    return actions;
  }

  static Subject subject(Request& request) {
    return {.table = &request.name,
            .region = &request.region,
            .tags = &request.tags,
            .other_actions = other_actions(request)};
  }

  static Task<Result<Described>> run(const Context& context, const Request& request) {
    std::optional<ReadPolicy> read;
    if (request.policy) {
      PARTITA_CO_TRY(read, read_policy(*request.policy, false, context));
    }
    const int64_t at_ms = context.database.clock().now_ms();
    auto created = co_await table::create_table(context.database, request, read ? &read->policy : nullptr);
    PARTITA_CO_TRY(table::Table made, std::move(created));
    co_return Described{std::move(made), at_ms};
  }

  static std::string encode(const Context& context, const Described& made) {
    return table_reply(context, "TableDescription", made);
  }
};

}  // namespace

constinit const JsonCodec create_table = json_codec<CreateTable>(wire::shapes::kCreateTable);

}  // namespace partita::ops
