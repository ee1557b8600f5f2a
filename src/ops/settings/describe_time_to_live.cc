#include "api/settings.h"
#include "model/fault.h"
#include "ops/json_codec.h"
#include "table/control/tables.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

struct DescribeTimeToLive {
  using Execution = ControlExecutionOf<DescribeTimeToLive>;
  using Reply = api::DescribeTimeToLiveReply;
  using Request = api::NamedTable;

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kTableName))};
  }

  static Subject subject(Request& request) { return {.table = &request.name}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY(const table::Table found, co_await context.database.idle_table(request.name));
    std::vector<std::string> args{request.name};
    if (found == nullptr) co_return model::refuse(model::Fault::kTableNotFound, std::move(args));
    Reply reply;
    if (found->ttl) reply.attribute = found->ttl->attribute;
    co_return reply;
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_object("TimeToLiveDescription");
    if (reply.attribute) {
      json.member("AttributeName", *reply.attribute);
    }
    json.member("TimeToLiveStatus", reply.attribute ? "ENABLED" : "DISABLED");
    json.end_object();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec describe_time_to_live = json_codec<DescribeTimeToLive>(wire::shapes::kDescribeTimeToLive);

}  // namespace partita::ops
