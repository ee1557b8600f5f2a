#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "ops/table_reply.h"
#include "table/tables.h"

namespace partita::ops {

namespace {

Task<Result<table::Table>> drop(table::Database& database, const table::NamedTable& named) {
  return table::delete_table(database, named.name);
}

struct DeleteTable : TableChange<table::NamedTable, drop> {
  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kTableName))};
  }
};

}  // namespace

Task<Result<std::string>> delete_table(const Context& context, wire::JsonDocument document) {
  return serve_control<DeleteTable>(context, std::move(document));
}

}  // namespace partita::ops
