#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "ops/table_reply.h"
#include "ops/table_request.h"

namespace partita::ops {

namespace {

using wire::Field;
using wire::JsonValue;
using wire::Members;

std::optional<std::vector<table::IndexRequest>> decode_indexes(const Members& in, Field list, bool global) {
  if (!in.has(list)) return std::nullopt;
  std::vector<table::IndexRequest> indexes;
  const wire::Shape& shape = in.element_shape(list);
  for (const JsonValue entry : in[list].elements()) indexes.push_back(decode_index(Members(entry, shape), global));
  return indexes;
}

std::vector<table::Tag> decode_tags(const Members& in) {
  std::vector<table::Tag> tags;
  const wire::Shape& shape = in.element_shape(Field::kTags);
  for (const JsonValue entry : in[Field::kTags].elements()) {
    const Members one(entry, shape);
    tags.push_back({decode_text(one, Field::kKey), decode_text(one, Field::kValue)});
  }
  return tags;
}

struct CreateTable : TableChange<table::TableRequest, table::create_table> {
  static Result<Request> decode(const Members& in) {
    PARTITA_TRY_VOID(refuse_named(in, {Field::kResourcePolicy, Field::kGlobalTableSourceArn,
                                       Field::kGlobalTableSettingsReplicationMode, Field::kVectorIndexes}));
    auto request = decode_table<Request>(in);
    request.keys = decode_keys(in);
    request.local_indexes = decode_indexes(in, Field::kLocalSecondaryIndexes, false);
    request.global_indexes = decode_indexes(in, Field::kGlobalSecondaryIndexes, true);
    request.deletion_protection = in.flag(Field::kDeletionProtectionEnabled);
    request.table_class = in.text(Field::kTableClass);
    request.tags = decode_tags(in);
    return request;
  }
};

}  // namespace

Task<Result<std::string>> create_table(const Context& context, wire::JsonDocument document) {
  return serve_control<CreateTable>(context, std::move(document));
}

}  // namespace partita::ops
