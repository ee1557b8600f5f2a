#include <algorithm>
#include <array>

#include "clusters/events.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"
#include "ops/reply.h"

namespace partita::ops {

namespace {

using wire::Field;

// By EventSource.
constexpr std::array<std::string_view, 3> kSourceWords{"CLUSTER", "PARAMETER_GROUP", "SUBNET_GROUP"};

struct DescribeEvents {
  using Execution = ControlExecutionOf<DescribeEvents>;
  using Request = api::EventsRequest;
  using Reply = clusters::PageOf<clusters::Event>;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    request.name = decode_sent_text(in, Field::kSourceName);
    const auto* const word = std::ranges::find(kSourceWords, in.text(Field::kSourceType));
    if (word != kSourceWords.end()) request.source = static_cast<api::EventSource>(word - kSourceWords.begin());
    if (in.has(Field::kStartTime)) request.start_s = in[Field::kStartTime].as_double();
    if (in.has(Field::kEndTime)) request.end_s = in[Field::kEndTime].as_double();
    request.minutes = in.integer(Field::kDuration);
    request.page = decode_page(in);
    return request;
  }

  static Subject subject(Request& /*request*/) { return {}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::list_events(context.database, request);
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) {
    return encode_page("Events", reply, [](wire::JsonWriter& json, const clusters::Event& one) {
      json.member("SourceName", one.name);
      json.member("SourceType", kSourceWords[static_cast<size_t>(one.source)]);
      json.member("Message", one.message);
      write_time(json, "Date", one.at_ms);
    });
  }
};

}  // namespace

constinit const JsonCodec describe_events = json_codec<DescribeEvents>(wire::shapes::kDescribeEvents);

}  // namespace partita::ops
