#include "ops/json_codec.h"
#include "ops/tables/table_reply.h"
#include "table/control/tables.h"

namespace partita::ops {

namespace {

Task<Result<table::Table>> drop(table::Database& database, const api::NamedTable& named) {
  return table::delete_table(database, named.name);
}

struct DeleteTable : TableChange<api::NamedTable, drop> {
  using Execution = ControlExecutionOf<DeleteTable>;

  static Subject subject(Request& request) { return {.table = &request.name}; }

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kTableName))};
  }
};

}  // namespace

constinit const JsonCodec delete_table = json_codec<DeleteTable>(wire::shapes::kDeleteTable);

}  // namespace partita::ops
