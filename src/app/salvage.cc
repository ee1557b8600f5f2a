#include "app/salvage.h"

#include <cstdio>

#include "app/teller.h"
#include "engines/rocksdb/rocksdb_engine.h"

namespace partita::app {

Result<void> salvage(const CommandLine& line) {
  PARTITA_TRY(const SalvageReport report, salvage_rocksdb_store(line.data, line.to));
  for (const std::string& loss : report.losses) std::printf("lost: %s\n", loss.c_str());
  std::printf("%s and %s are saved in %s; %s\n", counted(report.records, "record", "records").c_str(),
              counted(report.entries, "log entry", "log entries").c_str(), line.to.c_str(),
              report.losses.empty() ? "nothing is lost."
                                    : "an index may name items that are lost: delete each index and create it again.");
  std::printf("Serve them with `partita serve --data %s`.\n", line.to.c_str());
  return {};
}

}  // namespace partita::app
