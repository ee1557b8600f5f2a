#include "observe/traces.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include "base/log.h"
#include "ops/footprint.h"
#include "ops/operation.h"
#include "wire/fault_table.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::observe {

namespace {

using wire::JsonWriter;

constexpr size_t kMostWaiting = 8192;
constexpr size_t kMostWaitingBytes = size_t{8} << 20;
constexpr size_t kAtOnce = 512;
constexpr size_t kBytesAtOnce = size_t{1} << 20;  // of spans; collectors take no requests of any size
// What is longer is the name of nothing: DynamoDB's ARNs have less.
constexpr size_t kLongestName = 1'024;
constexpr auto kPeriod = std::chrono::milliseconds(500);
constexpr int64_t kTimeoutMs = 5'000;
// Those of OTLP's enumerations.
constexpr int64_t kServer = 2;
constexpr int64_t kFailed = 2;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) { return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos; }

// 16 digits, not all zero.
std::string new_id(Random& random) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  uint64_t bits = 0;
  while (bits == 0) bits = random.next();
  std::string digits(16, '0');
  for (char& digit : digits) {
    digit = kDigits[bits & 15];
    bits >>= 4;
  }
  return digits;
}

// Lists of attributes, as OTLP spells them.
class Attributes {
 public:
  explicit Attributes(JsonWriter& json) : json_(json) { json_.begin_array("attributes"); }
  ~Attributes() { json_.end_array(); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  void text(std::string_view name, std::string_view value) {
    if (value.empty() || value.size() > kLongestName) return;
    begin(name);
    write_text(value);
    end();
  }
  void number(std::string_view name, int64_t value) {
    begin(name);
    json_.member("intValue", std::to_string(value));  // 64 bits are a string in the JSON of Protocol Buffers
    end();
  }
  void texts(std::string_view name, const std::vector<std::string>& values) {
    if (values.empty()) return;
    begin(name);
    json_.begin_object("arrayValue");
    json_.begin_array("values");
    for (const std::string& value : values) {
      if (value.size() > kLongestName) continue;
      json_.begin_object();
      write_text(value);
      json_.end_object();
    }
    json_.end_array();
    json_.end_object();
    end();
  }

 private:
  void write_text(std::string_view value) { json_.member("stringValue", value); }
  void begin(std::string_view name) {
    json_.begin_object();
    json_.member("key", name);
    json_.begin_object("value");
  }
  void end() {
    json_.end_object();
    json_.end_object();
  }
  JsonWriter& json_;
};

// Names of AWS's services, and what stands before an operation in the name of its span.
struct ServiceWords {
  std::string_view service;
  std::string_view prefix;
};
ServiceWords words_of(ops::Api api) {
  switch (api) {
    case ops::Api::kStreams:
      return {"DynamoDB Streams", "DynamoDB."};
    case ops::Api::kAutoScaling:
      return {"Application Auto Scaling", "AutoScaling."};
    case ops::Api::kDax:
      return {"DAX", "DAX."};
    case ops::Api::kIam:
      return {"IAM", "IAM."};
    case ops::Api::kSts:
      return {"STS", "STS."};
    case ops::Api::kCloudWatch:
      return {"CloudWatch", "CloudWatch."};
    case ops::Api::kDynamoDb:
      break;
  }
  return {"DynamoDB", "DynamoDB."};
}

void write_call(Attributes& attributes, const ops::Call& call, std::string_view space, const ops::Reply& reply,
                const ops::Operation& operation) {
  attributes.text("rpc.system", "aws-api");
  attributes.text("rpc.service", words_of(operation.api).service);
  attributes.text("rpc.method", operation.name);
  attributes.text("aws.request_id", call.request_id);
  attributes.text("db.namespace", space);
  const bool of_tables = operation.api == ops::Api::kDynamoDb || operation.api == ops::Api::kStreams;
  if (of_tables && call.footprint != nullptr) attributes.texts("aws.dynamodb.table_names", call.footprint->names());
  attributes.number("http.response.status_code", reply.status);
  if (reply.error) {
    attributes.text("error.type", wire::name_of(static_cast<wire::Exception>(*reply.error)).name);
  }
  if (call.source != nullptr) attributes.text("client.address", call.source->address());
  if (const auth::Caller* const caller = ops::known_caller(call)) {
    attributes.text("cloud.region", caller->region);
  }
}

}  // namespace

TraceParent TraceParent::parse(std::string_view header) {
  // version "-" trace "-" parent "-" flags, and in versions to come perhaps more behind another "-"
  constexpr size_t kSize = 55;
  const bool shaped = header.size() >= kSize && header[2] == '-' && header[35] == '-' && header[52] == '-' &&
                      (header.size() == kSize || (header[kSize] == '-' && !header.starts_with("00")));
  if (!shaped || !is_hex(header.substr(0, 2)) || header.starts_with("ff") || !is_hex(header.substr(53, 2))) return {};
  const std::string_view trace = header.substr(3, 32);
  const std::string_view parent = header.substr(36, 16);
  if (!is_id(trace) || !is_id(parent)) return {};
  const char low = header[54];
  return {std::string(trace), std::string(parent), ((low <= '9' ? low - '0' : low - 'a' + 10) & 1) != 0};
}

Traces::Traces(Options options, net::HttpClient http, const Clock& clock, Random& random)
    : options_(std::move(options)), clock_(clock), random_(random), http_(std::move(http)) {}

Result<std::unique_ptr<Traces>> Traces::start(Options options, const Clock& clock, Random& random) {
  PARTITA_TRY(net::HttpClient http, net::HttpClient::create());
  std::unique_ptr<Traces> traces(new Traces(std::move(options), std::move(http), clock, random));
  PARTITA_TRY(traces->sender_,
              Thread::start("traces", [raw = traces.get()](const std::stop_token& stop) { raw->send_all(stop); }));
  return traces;
}

Traces::~Traces() {
  if (!sender_.joinable()) return;
  sender_.request_stop();
  some_.notify_all();
  sender_.join();
}

void Traces::note(const ops::Call& call, std::string_view space, const ops::Reply& reply, int64_t took_ns) {
  const ops::Operation* const operation = reply.operation != nullptr ? reply.operation : ops::find_target(call.target);
  if (operation == nullptr) return;
  TraceParent parent =
      TraceParent::parse(call.source == nullptr ? std::string_view() : call.source->header("traceparent"));
  const bool begins = parent.trace_id.empty();
  if (begins ? random_.below(options_.one_in) != 0 : !parent.sampled) return;
  const int64_t end_ns = clock_.now_ms() * 1'000'000;
  JsonWriter json;
  const auto say = [&json](std::string_view name, std::string_view value) { json.member(name, value); };
  json.begin_object();
  say("traceId", begins ? new_id(random_) + new_id(random_) : parent.trace_id);
  say("spanId", new_id(random_));
  if (!begins) say("parentSpanId", parent.parent_id);
  say("name", std::string(words_of(operation->api).prefix) + std::string(operation->name));
  json.member("kind", kServer);
  say("startTimeUnixNano", std::to_string(end_ns - took_ns));
  say("endTimeUnixNano", std::to_string(end_ns));
  {
    Attributes attributes(json);
    write_call(attributes, call, space, reply, *operation);
  }
  if (reply.status >= 500) {
    json.begin_object("status");
    json.member("code", kFailed);
    json.end_object();
  }
  json.end_object();
  std::string span = std::move(json).take();
  const MutexLock lock(mutex_);
  if (waiting_.size() >= kMostWaiting || waiting_bytes_ + span.size() > kMostWaitingBytes) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  waiting_bytes_ += span.size();
  waiting_.push_back(std::move(span));
  if (waiting_.size() == kAtOnce) some_.notify_one();
}

void Traces::send_all(const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> until;  // once it is to end
  for (bool last = false; !last;) {
    std::vector<std::string> spans;
    {
      const MutexLock lock(mutex_);
      some_.wait_for(mutex_, stop, kPeriod, [this]() PARTITA_REQUIRES(mutex_) { return waiting_.size() >= kAtOnce; });
      last = stop.stop_requested();
      spans.swap(waiting_);
      waiting_bytes_ = 0;
    }
    for (size_t at = 0; at < spans.size();) {
      if (!until && stop.stop_requested()) until = Clock::now() + std::chrono::milliseconds(net::HttpClient::kHurryMs);
      size_t count = 0;
      for (size_t bytes = 0; at + count < spans.size() && count < kAtOnce && bytes < kBytesAtOnce; ++count) {
        bytes += spans[at + count].size();
      }
      const size_t taken = send(std::span(spans).subspan(at, count), stop);
      sent_.fetch_add(taken, std::memory_order_relaxed);
      dropped_.fetch_add(count - taken, std::memory_order_relaxed);
      // Who does not take the first will hardly take the others before the process is to end.
      if (stop.stop_requested() && (taken == 0 || (until && Clock::now() > *until))) return;
      at += count;
    }
  }
}

namespace {

// Of so many that were sent, as OTLP's ExportTraceServiceResponse says it. What is no such answer refuses none.
size_t taken_of(size_t count, const std::string& answer) {
  const auto document = wire::JsonDocument::parse(answer);
  if (!document.ok()) return count;
  const wire::JsonValue rejected = document->root().get("partialSuccess").get("rejectedSpans");
  uint64_t number = 0;
  if (rejected.is(wire::JsonValue::Kind::kInteger)) number = static_cast<uint64_t>(rejected.as_integer());
  if (rejected.is(wire::JsonValue::Kind::kString)) {
    const std::string_view digits = rejected.as_string();
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
  }
  return number > count ? 0 : count - number;
}

}  // namespace

// If the collector has closed the connection since the last request, libcurl sends this one over a new one.
size_t Traces::send(std::span<const std::string> spans, const std::stop_token& stop) {
  const std::string body = request_of(spans);
  const auto answer = http_.send({.url = options_.collector,
                                  .headers = {{"Content-Type", "application/json"}},
                                  .body = body,
                                  .timeout_ms = kTimeoutMs,
                                  .hurry = stop});
  size_t taken = 0;
  std::string why = "It says so.";
  if (!answer.ok()) {
    why = answer.error().sentence();
  } else if (answer->status / 100 != 2) {
    why = "It answered " + std::to_string(answer->status) + ".";
  } else {
    taken = taken_of(spans.size(), answer->body);
    if (taken == spans.size()) return taken;
  }
  static LogThrottle throttle(60'000);
  uint64_t unsaid = 0;
  if (throttle.pass(unsaid)) {
    log(LogLevel::kWarn, {"The collector of traces took ", taken == 0 ? std::string("none") : std::to_string(taken),
                          " of ", std::to_string(spans.size()), " spans. ", why});
  }
  return taken;
}

std::string Traces::request_of(std::span<const std::string> spans) const {
  JsonWriter json;
  json.begin_object();
  json.begin_array("resourceSpans");
  json.begin_object();
  json.begin_object("resource");
  {
    Attributes attributes(json);
    attributes.text("service.name", "partita");
    attributes.text("service.version", options_.version);
    attributes.text("service.instance.id", options_.instance);
  }
  json.end_object();
  json.begin_array("scopeSpans");
  json.begin_object();
  json.begin_object("scope");
  json.member("name", "partita");
  json.end_object();
  json.begin_array("spans");
  for (const std::string& span : spans) json.raw(span);
  json.end_array();
  json.end_object();
  json.end_array();
  json.end_object();
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

void Traces::report(Exposition& out) const {
  const auto say = [&](std::string_view outcome, const std::atomic<uint64_t>& count) {
    out.counter("partita_trace_spans_total", "Trace spans, by outcome.",
                static_cast<double>(count.load(std::memory_order_relaxed)), {{"outcome", outcome}});
  };
  say("sent", sent_);
  say("dropped", dropped_);
}

}  // namespace partita::observe
