#include "ops/json_codec.h"
#include "table/control/ttl.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

using wire::Field;

struct UpdateTimeToLive {
  using Execution = ControlExecutionOf<UpdateTimeToLive>;
  using Request = api::UpdateTimeToLiveRequest;
  using Reply = Request;

  static Result<Request> decode(const wire::Members& in) {
    const wire::Members wanted = in.in(Field::kTimeToLiveSpecification);
    return Request{std::string(in.text(Field::kTableName)), wanted.flag(Field::kEnabled),
                   std::string(wanted.text(Field::kAttributeName))};
  }

  // The answer is what was asked for.
  static Subject subject(Request& request) { return {.table = &request.name}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(co_await table::update_ttl(context.database, request));
    co_return request;
  }

  static std::string encode(const Context& /*context*/, const Request& done) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_object("TimeToLiveSpecification");
    json.member("AttributeName", done.attribute);
    json.member("Enabled", done.enable);
    json.end_object();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec update_time_to_live = json_codec<UpdateTimeToLive>(wire::shapes::kUpdateTimeToLive);

}  // namespace partita::ops
