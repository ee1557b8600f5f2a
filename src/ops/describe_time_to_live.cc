#include "model/fault.h"
#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "table/tables.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

struct DescribeTimeToLive {
  using Request = table::NamedTable;

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kTableName))};
  }

  static Task<Result<table::Table>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY(table::Table found, co_await context.database.idle_table(request.name));
    std::vector<std::string> args{request.name};
    if (found == nullptr) co_return model::refuse(model::Fault::kTableNotFound, std::move(args));
    co_return found;
  }

  static std::string encode(const Context& /*context*/, const table::Table& found) {
    wire::JsonWriter json;
    json.begin_object();
    json.key("TimeToLiveDescription");
    json.begin_object();
    if (found->ttl) {
      json.key("AttributeName");
      json.string(found->ttl->attribute);
    }
    json.key("TimeToLiveStatus");
    json.string(found->ttl ? "ENABLED" : "DISABLED");
    json.end_object();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

Task<Result<std::string>> describe_time_to_live(const Context& context, wire::JsonDocument document) {
  return serve_control<DescribeTimeToLive>(context, std::move(document));
}

}  // namespace partita::ops
