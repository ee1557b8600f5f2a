#include "engines/postgres/schema.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "base/check.h"
#include "engines/postgres/commit_sql.h"
#include "engines/postgres/libpq.h"
#include "engines/postgres/parameters.h"
#include "engines/postgres/postgres_options.h"
#include "engines/postgres/schema_sql.h"
#include "engines/postgres/sql_state.h"
#include "storage/exclusive_engine.h"

namespace partita::postgres {

namespace {

constexpr int kFormat = kPostgresFormat;
// Of the functions: raise it whenever one of them changes.
constexpr int kRevision = 3;

constexpr std::array kStatements = {
    StatementText{PreparedStatement::kGet, "partita_get",
                  "SELECT ver, v FROM partita_kv WHERE p = $1::bytea AND d = "
                  "CASE WHEN $2::bytea = ''::bytea THEN ''::bytea ELSE sha256($2::bytea) END"},
    StatementText{PreparedStatement::kGetMany, "partita_get_many",
                  "SELECT a.i, kv.ver, CASE WHEN a.w <> 0 THEN kv.v END "
                  "FROM unnest($1::bytea[], $2::bytea[], $3::int[]) WITH ORDINALITY AS a(p, r, w, i) "
                  "JOIN partita_kv kv ON kv.p BETWEEN a.p AND a.p AND kv.d = "
                  "CASE WHEN a.r = ''::bytea THEN a.r ELSE sha256(a.r) END"},
    StatementText{PreparedStatement::kPage, "partita_page",
                  "SELECT p, r, ver, v FROM partita_page_ASC($1::bytea, $2::bytea, $3::bytea, $4::bytea, $5::bigint, "
                  "$6::bigint)"},
    StatementText{PreparedStatement::kPageBack, "partita_page_back",
                  "SELECT p, r, ver, v FROM partita_page_DESC($1::bytea, $2::bytea, $3::bytea, $4::bytea, $5::bigint, "
                  "$6::bigint)"},
    StatementText{PreparedStatement::kCommit, "partita_try",
                  "SELECT partita_commit($1::bytea, $2::bigint, $3::int, $4::bigint[], $5::bytea[], $6::bytea[], "
                  "$7::int[], $8::bigint[], $9::bigint[], $10::bytea[], $11::bytea[], $12::bigint[], $13::int[], "
                  "$14::bigint[], $15::bytea[])"},
    StatementText{PreparedStatement::kResolve, "partita_settle",
                  "UPDATE partita_mark SET fenced = true WHERE slot = $1::bytea RETURNING seq"},
    StatementText{PreparedStatement::kErase, "partita_erase_some",
                  "SELECT partita_erase($1::bytea, $2::bytea, $3::bytea, $4::bytea, $5::bigint, $6::bigint)"},
    StatementText{PreparedStatement::kSize, "partita_size_of",
                  "SELECT partita_size($1::bytea, $2::bytea, $3::bytea, $4::bytea)"},
    StatementText{PreparedStatement::kReadLog, "partita_entries",
                  "SELECT en, ee FROM partita_read_log($1::bytea, $2::bigint, $3::bigint, $4::bigint)"},
    StatementText{PreparedStatement::kLogEnd, "partita_end", "SELECT last FROM partita_topic WHERE t = $1::bytea"},
    StatementText{PreparedStatement::kTrim, "partita_trim_some",
                  "SELECT partita_trim($1::bytea, $2::bigint, $3::bigint, $4::bigint)"},
    StatementText{PreparedStatement::kForget, "partita_forget_topic", "SELECT partita_forget($1::bytea)"},
    StatementText{PreparedStatement::kTopics, "partita_topics",
                  "SELECT t FROM partita_topic WHERE t > $1::bytea ORDER BY t LIMIT $2::bigint"},
    StatementText{
        PreparedStatement::kRestoreLog, "partita_restore_log",
        "WITH entries AS (INSERT INTO partita_log (t, n, entry) "
        "SELECT $1::bytea, a.n, a.e FROM unnest($2::bigint[], $3::bytea[]) AS a(n, e) ON CONFLICT DO NOTHING) "
        "INSERT INTO partita_topic (t, last) VALUES ($1::bytea, $4::bigint) "
        "ON CONFLICT (t) DO UPDATE SET last = greatest(partita_topic.last, excluded.last)"},
};

using Answer = std::unique_ptr<PGresult, FreeResult>;

Result<Answer> execute(PGconn* session, const std::string& sql) {
  Answer answer(libpq().PQexec(session, sql.c_str()));
  const ExecStatusType status = libpq().PQresultStatus(answer.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return answer;
  const char* const state = libpq().PQresultErrorField(answer.get(), PG_DIAG_SQLSTATE);
  return to_error(state == nullptr ? "" : state, libpq().PQerrorMessage(session));
}

// Any fixed number will do; one for each store of the database.
constexpr const char* kHoldLock = "7237134, hashtext(current_schema())";

Result<Session> connect(const ConnInfo& conn_info) {
  const std::vector<const char*> names = conn_info.names();
  const std::vector<const char*> values = conn_info.values();
  Session session(libpq().PQconnectdbParams(names.data(), values.data(), 0));
  if (libpq().PQstatus(session.get()) != CONNECTION_OK) {
    return Error(ErrorKind::kUnavailable,
                 "PostgreSQL cannot be reached: " + in_one_line(libpq().PQerrorMessage(session.get())) + ".");
  }
  PARTITA_TRY(const Answer where, execute(session.get(), "SELECT current_schema(), current_setting('search_path')"));
  if (libpq().PQgetisnull(where.get(), 0, 0) == 0) return session;
  return Error(ErrorKind::kInvalid,
               "The store's tables go into the first schema of the search_path, and of those that it names (" +
                   std::string(libpq().PQgetvalue(where.get(), 0, 1)) +
                   ") the database has none that this user may use: make one of them with CREATE SCHEMA, grant USAGE "
                   "and CREATE on it, or name another.");
}

int number_in(const Answer& answer, int column) { return std::atoi(libpq().PQgetvalue(answer.get(), 0, column)); }

// What says true or false, until it says true. Who was killed may need a moment to be gone.
Result<bool> try_for_a_while(PGconn* session, const std::string& sql) {
  constexpr int kTries = 50;
  for (int tried = 0;; ++tried) {
    PARTITA_TRY(const Answer answer, execute(session, sql));
    if (libpq().PQgetvalue(answer.get(), 0, 0)[0] == 't') return true;
    if (tried == kTries) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

std::string ordered(std::string sql, const std::string& order) {
  constexpr std::string_view kPlace = "<ORDER>";
  for (size_t at = 0; (at = sql.find(kPlace, at)) != std::string::npos;) sql.replace(at, kPlace.size(), order);
  return sql;
}

Result<void> make(PGconn* session) {
  PARTITA_TRY_VOID(execute(session, kTablesSql));
  PARTITA_TRY_VOID(execute(session, kCommitSql));
  for (const char* const order : {"ASC", "DESC"}) PARTITA_TRY_VOID(execute(session, ordered(kPageSql, order)));
  PARTITA_TRY_VOID(execute(session, kRangesSql));
  PARTITA_TRY_VOID(execute(session, kLogSql));
  const std::string numbers = std::to_string(kFormat) + ", " + std::to_string(kRevision);
  PARTITA_TRY_VOID(execute(session, "INSERT INTO partita_meta (format, revision) VALUES (" + numbers +
                                        ") ON CONFLICT (one) DO UPDATE SET revision = excluded.revision"));
  return {};
}

enum class SchemaState : uint8_t { kNothing, kOlder, kAll };

// What is there. Statements would find a store in a later schema of the search_path, which has another lock.
Result<SchemaState> lookup(PGconn* session) {
  PARTITA_TRY(const Answer where, execute(session,
                                          "SELECT n.nspname, current_schema(), current_setting('search_path'), "
                                          "n.nspname = current_schema() FROM pg_class c JOIN pg_namespace n ON n.oid = "
                                          "c.relnamespace WHERE c.oid = to_regclass('partita_meta')"));
  if (libpq().PQntuples(where.get()) == 0) return SchemaState::kNothing;
  const auto text = [&](int column) { return std::string(libpq().PQgetvalue(where.get(), 0, column)); };
  if (text(3) != "t") {
    return Error(ErrorKind::kInvalid, "There is a store in the schema " + text(0) + ", and " + text(1) +
                                          " comes before it in the search_path (" + text(2) +
                                          "): name the schema of the store alone, as in "
                                          "?options=-csearch_path%3D" +
                                          text(0) + ".");
  }
  PARTITA_TRY(const Answer meta, execute(session, "SELECT format, revision FROM partita_meta"));
  if (libpq().PQntuples(meta.get()) == 0) return SchemaState::kNothing;
  if (number_in(meta, 0) != kFormat) {
    return Error(ErrorKind::kInvalid, "The store in this database has format " + std::to_string(number_in(meta, 0)) +
                                          ", which this version does not know: use the version that made it.");
  }
  return number_in(meta, 1) >= kRevision ? SchemaState::kAll : SchemaState::kOlder;
}

Result<void> refuse_no_store(PGconn* session) {
  PARTITA_TRY(const Answer where, execute(session, "SELECT current_database(), current_schema()"));
  const auto text = [&](int column) { return std::string(libpq().PQgetvalue(where.get(), 0, column)); };
  return Error(ErrorKind::kInvalid, "There is no store in the database " + text(0) + " (in its schema " + text(1) +
                                        "): check the name in the URL.");
}

}  // namespace

std::span<const StatementText> statements() { return kStatements; }

const char* name_of(PreparedStatement statement) {
  for (const StatementText& text : kStatements) {
    if (text.statement == statement) return text.name;
  }
  PARTITA_CHECK(false);
  return nullptr;
}

// Rows are found by their keys, in the order in which they are named, whatever the statistics say; never by a plan made
// again for each call.
const char* const kSessionSql =
    "SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false), "
    "set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false), "
    "set_config('enable_mergejoin', 'off', false), set_config('enable_bitmapscan', 'off', false), "
    "set_config('enable_material', 'off', false), set_config('enable_memoize', 'off', false), "
    "set_config('max_parallel_workers_per_gather', '0', false), set_config('lock_timeout', '1s', false), "
    "set_config('default_transaction_isolation', 'read committed', false), "
    "CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END";

const char* const kShareSql =
    "DO $$ BEGIN IF NOT pg_try_advisory_lock_shared(7237134, hashtext(current_schema())) THEN "
    "RAISE EXCEPTION 'the store is being copied or verified, and used by nobody else meanwhile'; END IF; END $$";

// Only connecting makes marks, and so it is what takes those away that are long of no use. (Who was silent for a day
// and comes back takes a new one.)
const char* const kMarkSql =
    "WITH old AS (DELETE FROM partita_mark WHERE slot IN (SELECT slot FROM partita_mark "
    "WHERE at < now() - interval '1 day' FOR UPDATE SKIP LOCKED)) "
    "INSERT INTO partita_mark (slot) VALUES ($1::bytea)";

Result<std::unique_ptr<ExclusiveLock>> ExclusiveLock::take(const ConnInfo& conn_info) {
  PARTITA_TRY(Session session, connect(conn_info));
  const std::string sql = "SELECT coalesce(pg_try_advisory_lock(" + std::string(kHoldLock) + "), false)";
  PARTITA_TRY(const bool taken, try_for_a_while(session.get(), sql));
  if (taken) return std::unique_ptr<ExclusiveLock>(new ExclusiveLock(std::move(session)));
  return storage::store_in_use();
}

Result<void> ExclusiveLock::check() const {
  const auto answer = execute(session_.get(), "SELECT 1");
  if (answer.ok()) return {};
  return Error(ErrorKind::kUnavailable, "The connection was lost that kept servers away from the store: " +
                                            std::string(answer.error().sentence()));
}

Result<void> install(const ConnInfo& conn_info, bool makes) {
  PARTITA_TRY(const Session session, connect(conn_info));
  PARTITA_TRY(const Answer version,
              execute(session.get(), "SELECT current_setting('server_version_num')::int >= 130000"));
  if (libpq().PQgetvalue(version.get(), 0, 0)[0] != 't') {
    return Error(ErrorKind::kInvalid, "The store needs PostgreSQL 13 or newer.");
  }
  PARTITA_TRY_VOID(execute(session.get(), "SET client_min_messages = warning"));
  if (!conn_info.alone) {
    const std::string sql = "SELECT coalesce(pg_try_advisory_lock_shared(" + std::string(kHoldLock) + "), true)";
    PARTITA_TRY(const bool shared, try_for_a_while(session.get(), sql));
    if (!shared) return storage::store_held_exclusively();
  }
  PARTITA_TRY(const SchemaState made, lookup(session.get()));
  if (made == SchemaState::kAll) return {};
  if (made == SchemaState::kNothing && !makes) return refuse_no_store(session.get());
  PARTITA_TRY_VOID(execute(session.get(), "BEGIN"));
  // One server at a time; any fixed number will do.
  PARTITA_TRY_VOID(execute(session.get(), "SELECT pg_advisory_xact_lock(7237133814)"));
  PARTITA_TRY(const SchemaState made_meanwhile, lookup(session.get()));
  if (made_meanwhile == SchemaState::kNothing && !makes) return refuse_no_store(session.get());
  if (made_meanwhile != SchemaState::kAll) PARTITA_TRY_VOID(make(session.get()));
  PARTITA_TRY_VOID(execute(session.get(), "COMMIT"));
  return {};
}

}  // namespace partita::postgres
