#include "engines/rocksdb/report.h"

#include <string>

namespace partita::rocks {

namespace {

using Properties = rocksdb::DB::Properties;

// Of both families together.
double sum_of(const Store& store, const std::string& property) {
  uint64_t sum = 0;
  store.db->GetAggregatedIntProperty(property, &sum);
  return static_cast<double>(sum);
}

double one_of(const Store& store, const std::string& property) {
  uint64_t value = 0;
  store.db->GetIntProperty(store.records, property, &value);
  return static_cast<double>(value);
}

double level0_files(const Store& store) {
  std::string files;
  store.db->GetProperty(store.records, Properties::kNumFilesAtLevelPrefix + "0", &files);
  return files.empty() ? 0 : std::stod(files);
}

}  // namespace

void report(const Store& store, Exposition& out) {
  const Meters& meters = store.meters;
  const HistogramTotals disk = meters.disk_reads.totals();
  const char* const reads = "partita_store_reads_total";
  const char* const reads_help = "Reads of the store, by what answered them.";
  out.counter(reads, reads_help, static_cast<double>(meters.memory_reads.total()), {{"from", "memory"}});
  out.counter(reads, reads_help, static_cast<double>(disk.count()), {{"from", "store"}});
  out.histogram("partita_store_read_seconds", "Latency of reads that memory could not answer.", disk, 1e-9);
  out.histogram("partita_store_commit_seconds", "Latency of durable commits in the store.", meters.commits.totals(),
                1e-9);
  out.histogram("partita_store_group_transactions", "Transactions per group commit.", meters.groups.totals(), 1);
  out.gauge("partita_store_bytes", "Size of the store's files.", sum_of(store, Properties::kTotalSstFilesSize));
  out.gauge("partita_store_buffer_bytes", "Memory of write buffers that are not flushed yet.",
            sum_of(store, Properties::kCurSizeAllMemTables));
  out.gauge("partita_store_cache_bytes", "Size of the block cache.", one_of(store, Properties::kBlockCacheUsage));
  out.gauge("partita_store_cache_limit_bytes", "Capacity of the block cache.",
            one_of(store, Properties::kBlockCacheCapacity));
  out.gauge("partita_store_compaction_pending_bytes", "Estimated bytes that compactions must still rewrite.",
            sum_of(store, Properties::kEstimatePendingCompactionBytes));
  out.gauge("partita_store_compactions_running", "Running compactions.",
            one_of(store, Properties::kNumRunningCompactions));
  out.gauge("partita_store_level0_files", "Table files in level 0.", level0_files(store));
  out.gauge("partita_store_writes_stopped", "1 while writes wait for compactions.",
            one_of(store, Properties::kIsWriteStopped));
  out.counter("partita_store_compactions_total", "Finished compactions.",
              static_cast<double>(meters.compactions.total()));
  out.counter("partita_store_compaction_bytes_total", "Bytes written by compactions.",
              static_cast<double>(meters.compacted_bytes.total()));
  out.counter("partita_store_compaction_seconds_total", "Time spent in compactions.",
              static_cast<double>(meters.compacted_us.total()) * 1e-6);
  out.counter("partita_store_corrupt_reads_total", "Reads that failed because of damaged data.",
              static_cast<double>(store.damage.reads()));
  out.gauge("partita_store_damaged_files", "Damaged table files found by the last scrub.",
            static_cast<double>(meters.scrub_damaged.load(std::memory_order_relaxed)));
  out.counter("partita_store_scrubbed_bytes_total", "Bytes of table files read by the scrub.",
              static_cast<double>(meters.scrubbed_bytes.total()));
  out.counter("partita_store_scrub_rounds_total", "Finished rounds of the scrub.",
              static_cast<double>(meters.scrub_rounds.total()));
  out.gauge("partita_store_scrub_ended_timestamp_seconds", "End of the last round of the scrub; 0: none.",
            static_cast<double>(meters.scrub_ended_ms.load(std::memory_order_relaxed)) * 1e-3);
}

}  // namespace partita::rocks
