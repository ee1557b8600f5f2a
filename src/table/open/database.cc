#include "table/open/database.h"

#include "table/catalog/second_copies.h"
#include "table/items/expiry.h"
#include "table/maintenance/copy_store.h"
#include "table/rows/sink_maker.h"
#include "table/streams/stream_maker.h"
#include "table/vectors/vector_log.h"

namespace partita::table {

Database::Database(storage::Engine& engine, const Clock& clock, Random& random, const DatabaseOptions& options)
    : TableContext(engine, clock, random, options,
                   {&expiry_row_maker(), &vector_log_maker(), &stream_record_maker(), &sink_log_maker()}),
      VectorSearchContext(static_cast<TableContext&>(*this)),
      jobs_(*this) {}

Result<std::unique_ptr<Database>> Database::open(storage::Engine& engine, const Clock& clock, Random& random,
                                                 DatabaseOptions options) {
  std::unique_ptr<Database> database(new Database(engine, clock, random, options));
  PARTITA_TRY_VOID(wait_for(refuse_half_copy(engine)));
  PARTITA_TRY_VOID(wait_for(database->catalog().look_again()));
  PARTITA_TRY_VOID(wait_for(renew_second_copies(engine)));
  PARTITA_TRY_VOID(database->jobs_.start());
  return database;
}

void Database::wake_jobs() { jobs_.wake(); }

void Database::report(Exposition& out) const {
  const int64_t now_ns = clock().monotonic_ns();
  out.gauge("partita_tables", "Tables in the store.", static_cast<double>(catalog().all().size()));
  out.gauge("partita_catalog_age_seconds", "Age of this server's last read of the catalogue.",
            static_cast<double>(now_ns - catalog().looked_at_ns()) / 1e9);
  out.histogram("partita_stream_read_age_seconds", "Age of the newest record in each GetRecords reply.",
                stream_ages().totals(), 1e-3);
  jobs_.status().report(out, now_ns);
}

}  // namespace partita::table
