#include "engines/postgres/postgres_engine.h"

#include <algorithm>
#include <utility>

#include "engines/postgres/parameters.h"
#include "engines/postgres/request_pipeline.h"
#include "engines/postgres/schema.h"
#include "storage/group_commit.h"
#include "storage/positions.h"
#include "storage/ranges.h"

namespace partita {

namespace {

using namespace storage;
using postgres::ArrayParameter;
using postgres::LookupRequest;
using postgres::Parameters;
using postgres::PendingTxn;
using postgres::PreparedStatement;
using postgres::RequestPipeline;
using postgres::Rows;
using postgres::SqlRequest;

// A key is a head and a tail; a statement takes less than 1 GB, and PostgreSQL has several copies of it in memory.
constexpr Limits kLimits{.key_bytes = 65'535, .record_bytes = size_t{32} << 20, .transaction_bytes = size_t{128} << 20};
// What is erased goes piece by piece, so that no statement keeps others waiting behind it for long.
constexpr int64_t kErasedAtOnce = 1'000;
constexpr int64_t kErasedBytesAtOnce = 8 << 20;

void add_range(Parameters& parameters, const Range& range) {
  const postgres::SplitKey begin = postgres::split(range.begin);
  const postgres::SplitKey end = postgres::split(range.end);
  parameters.add_bytes(begin.head);
  parameters.add_bytes(begin.tail);
  parameters.add_bytes(range.end.empty() ? postgres::beyond_all_heads() : end.head);
  parameters.add_bytes(end.tail);
}

int64_t bounded(size_t number) { return static_cast<int64_t>(std::min<size_t>(number, INT64_MAX)); }

int64_t number_of(const Position& position) {
  return static_cast<int64_t>(std::min<uint64_t>(leading_number(position), INT64_MAX));
}

Position position_of(int64_t number) { return numbered_position(static_cast<uint64_t>(number)); }

class PostgresEngine final : public Engine {
 public:
  PostgresEngine(postgres::ConnInfo conn_info, const PostgresOptions& options)
      : pipeline_(std::move(conn_info), options, kLimits) {}

  Task<Result<std::vector<std::optional<Record>>>> read(std::span<const Key> keys) override;
  Task<Result<Page>> scan(Range range, Direction direction, size_t max_records, size_t max_bytes) override;
  Task<Result<Outcome>> transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                 Version* version) override;
  Task<Result<void>> erase_range(Range range) override;
  Task<Result<std::vector<LogEntry>>> read_log(std::string topic, Position after, size_t max_entries,
                                               size_t max_bytes) override;
  Task<Result<Position>> log_end(std::string topic) override;
  Task<Result<void>> trim_log(std::string topic, Position upto) override;
  Task<Result<void>> forget_log(std::string topic) override;
  Task<Result<std::vector<std::string>>> topics(std::string after, size_t most) override;
  Task<Result<void>> restore_log(std::string topic, std::vector<LogEntry> entries, Position end) override;
  bool has_room_for(const Position& end) const override {
    return position_number(end).value_or(UINT64_MAX) <= INT64_MAX;
  }
  Task<Result<uint64_t>> approximate_bytes(Range range) override;
  Limits limits() const override { return kLimits; }
  Result<void> health() const override { return pipeline_.health(); }
  void report(Exposition& out) const override { pipeline_.report(out); }
  Result<void> start() { return pipeline_.start(); }

 private:
  Task<Result<Rows>> request(PreparedStatement statement, Parameters parameters);
  Task<Result<void>> trim_to(std::string topic, int64_t upto);

  RequestPipeline pipeline_;
};

Task<Result<Rows>> PostgresEngine::request(PreparedStatement statement, Parameters parameters) {
  SqlRequest request(pipeline_, statement, std::move(parameters));
  co_await request;
  co_return std::move(request.result);
}

Task<Result<std::vector<std::optional<Record>>>> PostgresEngine::read(std::span<const Key> keys) {
  PARTITA_CO_TRY_VOID(check_keys(kLimits, keys, {}));
  LookupRequest lookup(pipeline_, keys);
  if (!keys.empty()) co_await lookup;
  PARTITA_CO_TRY_VOID(std::move(lookup.result));
  co_return std::move(lookup.records);
}

Task<Result<Page>> PostgresEngine::scan(Range range, Direction direction, size_t max_records, size_t max_bytes) {
  Page page;
  if (is_empty(range)) co_return page;
  Parameters parameters;
  add_range(parameters, range);
  parameters.add_int64(bounded(max_records));
  parameters.add_int64(bounded(std::min(max_bytes, kMaxPageBytes)));
  const PreparedStatement statement =
      direction == Direction::kAscending ? PreparedStatement::kPage : PreparedStatement::kPageBack;
  PARTITA_CO_TRY(const Rows rows, co_await request(statement, std::move(parameters)));
  size_t bytes = 0;
  for (int row = 0; row < rows.size(); ++row) bytes += rows.bytes(row, 0).size() + rows.bytes(row, 3).size();
  page.reserve(static_cast<size_t>(rows.size()), bytes);
  std::string key;
  for (int row = 0; row < rows.size(); ++row) {
    // A row of nothing stands for those beyond the page.
    if (rows.is_null(row, 0)) {
      page.more = true;
      break;
    }
    key.assign(rows.bytes(row, 0)).append(rows.bytes(row, 1));
    page.append(key, rows.bytes(row, 3), postgres::to_version(rows.int64(row, 2)));
  }
  co_return page;
}

Task<Result<Outcome>> PostgresEngine::transact(std::vector<Key> keys, std::vector<Compare> compare, Decide decide,
                                               Version* version) {
  return run_transaction<PendingTxn>(pipeline_, kLimits, std::move(keys), std::move(compare), std::move(decide),
                                     version);
}

Task<Result<void>> PostgresEngine::erase_range(Range range) {
  if (is_empty(range)) co_return Result<void>();
  for (;;) {
    Parameters parameters;
    add_range(parameters, range);
    parameters.add_int64(kErasedAtOnce);
    parameters.add_int64(kErasedBytesAtOnce);
    PARTITA_CO_TRY(const Rows rows, co_await request(PreparedStatement::kErase, std::move(parameters)));
    if (rows.int64(0, 0) == 0) co_return Result<void>();
  }
}

Task<Result<std::vector<LogEntry>>> PostgresEngine::read_log(std::string topic, Position after, size_t max_entries,
                                                             size_t max_bytes) {
  Parameters parameters;
  parameters.add_bytes(topic);
  parameters.add_int64(number_of(after));
  parameters.add_int64(bounded(max_entries));
  parameters.add_int64(bounded(max_bytes));
  PARTITA_CO_TRY(const Rows rows, co_await request(PreparedStatement::kReadLog, std::move(parameters)));
  std::vector<LogEntry> entries;
  entries.reserve(static_cast<size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) {
    entries.push_back({position_of(rows.int64(row, 0)), std::string(rows.bytes(row, 1))});
  }
  co_return entries;
}

Task<Result<Position>> PostgresEngine::log_end(std::string topic) {
  Parameters parameters;
  parameters.add_bytes(topic);
  PARTITA_CO_TRY(const Rows rows, co_await request(PreparedStatement::kLogEnd, std::move(parameters)));
  co_return rows.size() == 0 ? Position{} : position_of(rows.int64(0, 0));
}

Task<Result<void>> PostgresEngine::trim_to(std::string topic, int64_t upto) {
  for (;;) {
    Parameters parameters;
    parameters.add_bytes(topic);
    parameters.add_int64(upto);
    parameters.add_int64(kErasedAtOnce);
    parameters.add_int64(kErasedBytesAtOnce);
    PARTITA_CO_TRY(const Rows rows, co_await request(PreparedStatement::kTrim, std::move(parameters)));
    if (rows.int64(0, 0) == 0) co_return Result<void>();
  }
}

Task<Result<void>> PostgresEngine::trim_log(std::string topic, Position upto) {
  return trim_to(std::move(topic), number_of(upto));
}

// All entries first, in pieces: what is left when the topic itself goes is what came meanwhile.
Task<Result<void>> PostgresEngine::forget_log(std::string topic) {
  PARTITA_CO_TRY(const Position end, co_await log_end(topic));
  PARTITA_CO_TRY_VOID(co_await trim_to(topic, number_of(end)));
  Parameters parameters;
  parameters.add_bytes(topic);
  PARTITA_CO_TRY_VOID(co_await request(PreparedStatement::kForget, std::move(parameters)));
  co_return Result<void>();
}

Task<Result<std::vector<std::string>>> PostgresEngine::topics(std::string after, size_t most) {
  Parameters parameters;
  parameters.add_bytes(after);
  parameters.add_int64(bounded(most));
  PARTITA_CO_TRY(const Rows rows, co_await request(PreparedStatement::kTopics, std::move(parameters)));
  std::vector<std::string> names;
  for (int row = 0; row < rows.size(); ++row) names.emplace_back(rows.bytes(row, 0));
  co_return names;
}

Task<Result<void>> PostgresEngine::restore_log(std::string topic, std::vector<LogEntry> entries, Position end) {
  using Element = ArrayParameter::Element;
  if (!has_room_for(end)) co_return no_room_for_position();
  const std::optional<uint64_t> last = position_number(end);
  ArrayParameter numbers(Element::kInt64);
  ArrayParameter texts(Element::kBytes);
  for (const LogEntry& one : entries) {
    numbers.add_int64(number_of(one.position));
    texts.add_bytes(one.entry);
  }
  Parameters parameters;
  parameters.add_bytes(topic);
  parameters.add_array(std::move(numbers));
  parameters.add_array(std::move(texts));
  parameters.add_int64(static_cast<int64_t>(*last));
  PARTITA_CO_TRY_VOID(co_await request(PreparedStatement::kRestoreLog, std::move(parameters)));
  co_return Result<void>();
}

Task<Result<uint64_t>> PostgresEngine::approximate_bytes(Range range) {
  if (is_empty(range)) co_return uint64_t{0};
  Parameters parameters;
  add_range(parameters, range);
  PARTITA_CO_TRY(const Rows rows, co_await request(PreparedStatement::kSize, std::move(parameters)));
  co_return static_cast<uint64_t>(rows.int64(0, 0));
}

Result<std::unique_ptr<Engine>> start_engine(postgres::ConnInfo conn_info, const PostgresOptions& options) {
  auto engine = std::make_unique<PostgresEngine>(std::move(conn_info), options);
  PARTITA_TRY_VOID(engine->start());
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace

Result<storage::ExclusiveEngine> open_exclusive_postgres_engine(const PostgresOptions& options) {
  PARTITA_TRY(postgres::ConnInfo conn_info, postgres::ConnInfo::parse(options.url));
  conn_info.alone = true;
  PARTITA_TRY(std::shared_ptr<postgres::ExclusiveLock> hold, postgres::ExclusiveLock::take(conn_info));
  PARTITA_TRY_VOID(postgres::install(conn_info, options.makes));
  storage::ExclusiveEngine held;
  held.check = [hold = std::move(hold)] { return hold->check(); };
  PARTITA_TRY(held.engine, start_engine(std::move(conn_info), options));
  return held;
}

Result<std::unique_ptr<storage::Engine>> open_postgres_engine(const PostgresOptions& options) {
  PARTITA_TRY(postgres::ConnInfo conn_info, postgres::ConnInfo::parse(options.url));
  PARTITA_TRY_VOID(postgres::install(conn_info, options.makes));
  return start_engine(std::move(conn_info), options);
}

}  // namespace partita
