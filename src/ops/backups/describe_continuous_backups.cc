#include "model/fault.h"
#include "ops/json_codec.h"
#include "table/control/tables.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

// There is no point-in-time recovery: every table answers as one on which nobody switched it on.
struct DescribeContinuousBackups {
  using Execution = ControlExecutionOf<DescribeContinuousBackups>;
  using Reply = api::Empty;
  using Request = api::NamedTable;

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kTableName))};
  }

  static Subject subject(Request& request) { return {.table = &request.name}; }

  static Task<Result<api::Empty>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY(const table::Table found, co_await context.database.idle_table(request.name));
    std::vector<std::string> args{request.name};
    if (found == nullptr) co_return model::refuse(model::Fault::kBackedUpTableNotFound, std::move(args));
    co_return api::Empty{};
  }

  static std::string encode(const Context& /*context*/, const api::Empty& /*done*/) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_object("ContinuousBackupsDescription");
    json.member("ContinuousBackupsStatus", "ENABLED");
    json.begin_object("PointInTimeRecoveryDescription");
    json.member("PointInTimeRecoveryStatus", "DISABLED");
    json.end_object();
    json.end_object();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec describe_continuous_backups =
    json_codec<DescribeContinuousBackups>(wire::shapes::kDescribeContinuousBackups);

}  // namespace partita::ops
