#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "table/expiry.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

using wire::Field;

struct UpdateTimeToLive {
  using Request = table::TtlRequest;

  static Result<Request> decode(const wire::Members& in) {
    const wire::Members wanted = in.in(Field::kTimeToLiveSpecification);
    return Request{std::string(in.text(Field::kTableName)), wanted.flag(Field::kEnabled),
                   std::string(wanted.text(Field::kAttributeName))};
  }

  // The answer is what was asked for.
  static Task<Result<Request>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(co_await table::update_ttl(context.database, request));
    co_return request;
  }

  static std::string encode(const Context& /*context*/, const Request& done) {
    wire::JsonWriter json;
    json.begin_object();
    json.key("TimeToLiveSpecification");
    json.begin_object();
    json.key("AttributeName");
    json.string(done.attribute);
    json.key("Enabled");
    json.boolean(done.enable);
    json.end_object();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

Task<Result<std::string>> update_time_to_live(const Context& context, wire::JsonDocument document) {
  return serve_control<UpdateTimeToLive>(context, std::move(document));
}

}  // namespace partita::ops
