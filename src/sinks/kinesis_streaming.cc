#include "sinks/kinesis_streaming.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "model/fault.h"
#include "sinks/kinesis_client.h"
#include "sinks/sink_store.h"
#include "table/rows/job_row.h"
#include "table/rows/sink_rows.h"
#include "table/rows/system_rows.h"

namespace partita::sinks {

namespace {

using api::KinesisStatus;
using model::Fault;
using table::KinesisStream;
using table::TableContext;
using table::TableInfo;

constexpr std::string_view kNoPermission = "User does not have a permission to use kinesis stream";  // AWS's words

// What the sink of a stream says.
struct Carried {
  bool exists = false;
  bool begun = false;    // the stream could be used once
  int64_t tried_ms = 0;  // Progress::tried_ms
  std::string name;
  std::string failure;
  std::string trouble;
};

struct Seen {
  table::Table table;
  Carried carried;  // of the stream that has a sink
  int64_t now_ms = 0;
};

Error refused_kinesis(Fault fault, std::vector<std::string> args = {}) { return model::refuse(fault, std::move(args)); }

// A clock that was set back ends the transition.
bool is_moving(const KinesisStream& stream, int64_t now_ms) {
  return now_ms >= stream.changed_ms && now_ms < stream.changed_ms + kKinesisSettleMs;
}

bool is_live(const KinesisStream& stream, int64_t now_ms) { return stream.sink != 0 || is_moving(stream, now_ms); }

bool is_listed(const KinesisStream& stream, int64_t now_ms) {
  return is_live(stream, now_ms) || now_ms < stream.changed_ms + kKinesisListMs;
}

bool cannot_be_used(const KinesisStream& stream, const Carried& carried, int64_t now_ms) {
  if (carried.begun || is_moving(stream, now_ms)) return false;
  return !carried.exists || !carried.failure.empty() || carried.tried_ms >= kKinesisTryMs;
}

KinesisStatus status_of(const KinesisStream& stream, const Seen& seen) {
  const bool moving = is_moving(stream, seen.now_ms);
  if (stream.sink == 0 && stream.failure.empty()) return moving ? KinesisStatus::kDisabling : KinesisStatus::kDisabled;
  if (stream.sink == 0) return moving ? KinesisStatus::kEnabling : KinesisStatus::kEnableFailed;
  if (!seen.carried.begun) return KinesisStatus::kEnabling;
  if (!moving) return KinesisStatus::kActive;
  return stream.updating ? KinesisStatus::kUpdating : KinesisStatus::kEnabling;
}

api::KinesisState state_of_kinesis(const KinesisStream& stream, const Seen& seen) {
  api::KinesisState state;
  state.stream_arn = stream.arn;
  state.status = status_of(stream, seen);
  state.precision = stream.precision;
  if (state.status == KinesisStatus::kEnableFailed) state.description = stream.failure;
  if (stream.sink != 0) state.description = seen.carried.failure.empty() ? seen.carried.trouble : seen.carried.failure;
  return state;
}

template <class Info>
auto* stream_of(Info& table, std::string_view arn) {
  const auto found = std::ranges::find(table.kinesis, arn, &KinesisStream::arn);
  return found == table.kinesis.end() ? nullptr : &*found;
}

template <class Info>
auto* stream_with_sink(Info& table) {
  const auto found = std::ranges::find_if(table.kinesis, [](const KinesisStream& one) { return one.sink != 0; });
  return found == table.kinesis.end() ? nullptr : &*found;
}

Task<Result<Carried>> carried_by(TableContext& context, uint32_t table_id, uint16_t number) {
  const std::vector<storage::Key> keys{table::sink_row_key(table_id, number),
                                       table::job_key(table::JobKind::kCarry, table_id, number)};
  PARTITA_CO_TRY(const auto records, co_await context.engine().read(keys));
  Carried carried;
  if (!records[0]) co_return carried;
  SinkStatus status;
  PARTITA_CO_TRY(status.sink, table::sink_from(records[0]->value));
  if (records[1]) {
    PARTITA_CO_TRY(const table::Job job, table::job_from(keys[1].bytes, records[1]->value));
    PARTITA_CO_TRY(status.progress, progress_from(job.carried));
  }
  carried.exists = !status.sink.deleting;
  carried.begun = status.progress.begun;
  carried.tried_ms = status.progress.tried_ms;
  carried.name = status.sink.name;
  if (status.state() == SinkState::kFailed) carried.failure = status.sentence();
  carried.trouble = status.progress.trouble;
  co_return carried;
}

Task<Result<Seen>> look_at(TableContext& context, std::string name) {
  Seen seen;
  PARTITA_CO_TRY(seen.table, co_await context.newest_table(name));
  if (seen.table == nullptr) {
    std::vector<std::string> args{std::move(name)};
    co_return refused_kinesis(Fault::kTableNotFound, std::move(args));
  }
  if (const KinesisStream* const stream = stream_with_sink(*seen.table)) {
    PARTITA_CO_TRY(seen.carried, co_await carried_by(context, seen.table->id, stream->sink));
  }
  seen.now_ms = context.clock().now_ms();
  co_return seen;
}

// Has the stream's sink removed, and the description changed with that.
Task<Result<void>> take_off(TableContext& context, const Seen& seen, std::function<void(KinesisStream&)> change) {
  const uint16_t number = stream_with_sink(*seen.table)->sink;
  const std::function<Result<void>(TableInfo&)> with = [number, change = std::move(change)](TableInfo& info) {
    for (KinesisStream& stream : info.kinesis) {
      if (stream.sink != number) continue;
      stream.sink = 0;
      stream.updating = false;
      change(stream);
    }
    return Result<void>();
  };
  if (seen.carried.exists) {
    co_return co_await delete_sink(context, seen.table->name, seen.carried.name, false, std::string(kKinesisOwner),
                                   with);
  }
  PARTITA_CO_TRY_VOID(co_await context.catalog().change(seen.table->name, with));
  co_return Result<void>();
}

// Looks at the table after what could not be used is off.
Task<Result<Seen>> look_settled(TableContext& context, std::string name) {
  PARTITA_CO_TRY(Seen seen, co_await look_at(context, name));
  const KinesisStream* const stream = stream_with_sink(*seen.table);
  if (stream == nullptr || !cannot_be_used(*stream, seen.carried, seen.now_ms)) co_return seen;
  const bool refused = !seen.carried.failure.empty() || seen.carried.trouble.empty();
  const std::string why = refused ? std::string(kNoPermission) : seen.carried.trouble;
  std::function<void(KinesisStream&)> change = [&why](KinesisStream& one) { one.failure = why; };
  const auto off = co_await take_off(context, seen, std::move(change));
  // Reason 0: another call has done it.
  const bool done = !off.ok() && off.error().kind() == ErrorKind::kInvalid && off.error().reason() == 0;
  if (!off.ok() && !done) co_return off.error();
  co_return co_await look_at(context, std::move(name));
}

// Puts the stream first, or where it was, unless another is on.
Result<void> enter_stream(TableInfo& table, KinesisStream stream) {
  constexpr size_t kMost = 50;
  const int64_t now_ms = stream.changed_ms;
  if (std::ranges::any_of(table.kinesis, [now_ms](const KinesisStream& one) { return is_live(one, now_ms); })) {
    return refused_kinesis(Fault::kKinesisNotOff);
  }
  std::erase_if(table.kinesis, [now_ms](const KinesisStream& one) { return !is_listed(one, now_ms); });
  if (KinesisStream* const known = stream_of(table, stream.arn)) {
    *known = std::move(stream);
    return {};
  }
  if (table.kinesis.size() >= kMost) table.kinesis.resize(kMost - 1);
  table.kinesis.insert(table.kinesis.begin(), std::move(stream));
  return {};
}

SinkRequest request_for(const api::EnableKinesisRequest& request, const KinesisStreamName& stream, int64_t now_ms) {
  constexpr std::string_view kLetters = "-dead-letters";
  constexpr size_t kLongestName = 255;
  SinkRequest sink;
  sink.table = request.name;
  sink.name = "kinesis-" + std::to_string(now_ms);
  sink.url = "kinesis:///" + stream.name;
  sink.options["region"] = stream.region;
  if (!request.precision.empty()) sink.options["precision"] = request.precision;
  sink.dead_letters = request.name.substr(0, kLongestName - kLetters.size()) + std::string(kLetters);
  sink.owner = kKinesisOwner;
  return sink;
}

api::KinesisChanged kinesis_changed(const std::string& table, const std::string& arn, KinesisStatus status,
                                    std::string precision = {}) {
  return {table, {.stream_arn = arn, .status = status, .description = {}, .precision = std::move(precision)}};
}

}  // namespace

Task<Result<api::KinesisChanged>> enable_kinesis(TableContext& context, const api::EnableKinesisRequest& request) {
  PARTITA_CO_TRY(const Seen seen, co_await look_settled(context, request.name));
  KinesisStream stream;
  stream.arn = request.stream_arn;
  stream.precision = request.precision;
  stream.changed_ms = seen.now_ms;
  TableInfo wanted = *seen.table;
  PARTITA_CO_TRY_VOID(enter_stream(wanted, stream));
  if (!context.options().no_kinesis.empty()) {
    std::vector<std::string> args{context.options().no_kinesis};
    co_return refused_kinesis(Fault::kKinesisRefused, std::move(args));
  }
  if (const auto found = kinesis_stream_in(request.stream_arn)) {
    SinkRequest sink = request_for(request, *found, seen.now_ms);
    sink.with = [stream](TableInfo& info, const table::Sink& made) {
      KinesisStream on = stream;
      on.sink = made.number;
      return enter_stream(info, std::move(on));
    };
    const auto made = co_await create_sink(context, std::move(sink), find_destination);
    if (!made.ok() && made.error().kind() == ErrorKind::kInvalid && made.error().reason() == 0) {
      // Another call may have come first.
      PARTITA_CO_TRY(const Seen now, co_await look_at(context, request.name));
      TableInfo again = *now.table;
      PARTITA_CO_TRY_VOID(enter_stream(again, stream));
      std::vector<std::string> args{std::string(made.error().sentence())};
      co_return refused_kinesis(Fault::kKinesisRefused, std::move(args));
    }
    if (!made.ok()) co_return made.error();
  } else {
    stream.failure = kNoPermission;
    const table::Catalog::Change change = [&stream](TableInfo& info) { return enter_stream(info, stream); };
    PARTITA_CO_TRY_VOID(co_await context.catalog().change(request.name, change));
  }
  co_return kinesis_changed(request.name, request.stream_arn, KinesisStatus::kEnabling, request.precision);
}

Task<Result<api::KinesisChanged>> disable_kinesis(TableContext& context, const api::DisableKinesisRequest& request) {
  if (request.configured) co_return refused_kinesis(Fault::kKinesisOffConfigured);
  PARTITA_CO_TRY(const Seen seen, co_await look_settled(context, request.name));
  const KinesisStream* const stream = stream_of(*seen.table, request.stream_arn);
  if (stream == nullptr) co_return refused_kinesis(Fault::kKinesisNotOn);
  const KinesisStatus status = status_of(*stream, seen);
  if (status == KinesisStatus::kActive) {
    const int64_t now_ms = seen.now_ms;
    std::function<void(KinesisStream&)> change = [now_ms](KinesisStream& one) { one.changed_ms = now_ms; };
    const auto off = co_await take_off(context, seen, std::move(change));
    const bool gone = !off.ok() && off.error().kind() == ErrorKind::kInvalid && off.error().reason() == 0;
    if (gone) co_return refused_kinesis(Fault::kKinesisNotOn);
    if (!off.ok()) co_return off.error();
  } else if (status != KinesisStatus::kDisabling) {
    co_return refused_kinesis(Fault::kKinesisNotOn);
  }
  co_return kinesis_changed(request.name, request.stream_arn, KinesisStatus::kDisabling);
}

Task<Result<api::KinesisChanged>> update_kinesis(TableContext& context, const api::UpdateKinesisRequest& request) {
  if (request.precision.empty()) co_return refused_kinesis(Fault::kKinesisUpdateEmpty);
  PARTITA_CO_TRY(const Seen seen, co_await look_settled(context, request.name));
  const std::string& arn = request.stream_arn;
  const KinesisStream* const stream = stream_of(*seen.table, arn);
  if (stream == nullptr) {
    std::vector<std::string> args{arn, request.name};
    co_return refused_kinesis(Fault::kKinesisNotKnown, std::move(args));
  }
  std::vector<std::string> unsettled{request.name, arn};
  if (status_of(*stream, seen) != KinesisStatus::kActive) {
    co_return refused_kinesis(Fault::kKinesisNotSettled, std::move(unsettled));
  }
  if ((stream->precision.empty() ? "MILLISECOND" : stream->precision) == request.precision) {
    std::vector<std::string> args{request.precision, seen.table->uuid, arn};
    co_return refused_kinesis(Fault::kKinesisSamePrecision, std::move(args));
  }
  const uint16_t number = stream->sink;
  const table::Catalog::Change change = [&](TableInfo& info) -> Result<void> {
    KinesisStream* const one = stream_of(info, arn);
    if (one == nullptr || one->sink != number) return refused_kinesis(Fault::kKinesisNotSettled, unsettled);
    one->precision = request.precision;
    one->updating = true;
    one->changed_ms = seen.now_ms;
    return {};
  };
  table::Catalog::AttachedWrite attached;
  attached.key = table::sink_row_key(seen.table->id, number);
  attached.apply = [&](const storage::Record* found, const TableInfo&, storage::Changes& changes) {
    auto sink = found == nullptr ? Result<table::Sink>(table::Sink()) : table::sink_from(found->value);
    if (found == nullptr || !sink.ok()) return false;
    sink->options["precision"] = request.precision;
    table::put_twice(attached.key, table::sink_row(*sink), changes);
    return true;
  };
  const auto done = co_await context.catalog().change(request.name, change, &attached);
  // The sink has gone.
  if (!done.ok() && done.error().kind() == ErrorKind::kConflict) {
    co_return refused_kinesis(Fault::kKinesisNotSettled, std::move(unsettled));
  }
  if (!done.ok()) co_return done.error();
  context.wake_jobs();
  co_return kinesis_changed(request.name, arn, KinesisStatus::kUpdating, request.precision);
}

Task<Result<api::DescribeKinesisReply>> describe_kinesis(TableContext& context, const api::NamedTable& request) {
  PARTITA_CO_TRY(const Seen seen, co_await look_settled(context, request.name));
  api::DescribeKinesisReply reply;
  reply.name = request.name;
  for (const KinesisStream& stream : seen.table->kinesis) {
    if (is_listed(stream, seen.now_ms)) reply.streams.push_back(state_of_kinesis(stream, seen));
  }
  co_return reply;
}

Task<Result<void>> settle_kinesis(TableContext& context, std::string table_name) {
  PARTITA_CO_TRY_VOID(co_await look_settled(context, std::move(table_name)));
  co_return Result<void>();
}

}  // namespace partita::sinks
