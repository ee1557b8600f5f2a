// Does the jobs of job.h, side by side with each other and with those of other servers, and looks now and then whether
// there are any: its own, or those of a server that died. A job whose row nobody touched for `lease_ms` is taken over;
// that is measured on this server's monotonic clock, from when it saw the row, so clocks need not agree.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/function_ref.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "storage/engine.h"
#include "table/catalog/table_context.h"
#include "table/jobs/upkeep_view.h"
#include "table/rows/job_row.h"
#include "table/rows/stream_rows.h"
#include "table/rows/system_rows.h"

namespace partita::table {

class Upkeep {
 public:
  // The context outlives it.
  explicit Upkeep(TableContext& context);
  // Interrupts the jobs where they are and lets go of them.
  ~Upkeep() { background_.stop(); }

  // Once. Error: kUnavailable, when the system makes no thread.
  Result<void> start();
  // There may be something to do: looks at once. Callable from any thread.
  void poke();

  // All jobs, whoever does them, with their progress.
  Task<Result<std::vector<Job>>> jobs();

  // Looks for work now. Only for the background thread.
  Task<void> look();

  const UpkeepView& view() const { return view_; }

 private:
  // What a job reads at once.
  static constexpr size_t kPageRows = 1000;
  static constexpr size_t kPageBytes = 1 << 20;

  enum class End : uint8_t { kDone, kLost, kStopped };
  // When this server first saw a row as it is.
  struct Sight {
    storage::Version version;
    int64_t since_ns;
  };
  // Rows of an index behind `after`, up to `upto`, that changed since they were read, with their sizes now.
  struct Zone {
    std::string after;
    std::string upto;
    std::map<std::string, std::optional<uint64_t>> rows;
  };
  // What joins the transaction that stores a job's progress.
  struct Step {
    std::vector<storage::Key> keys;
    std::vector<storage::Compare> compare;
    storage::Decide ride;
    bool ends = false;  // the job's row goes
  };
  enum class Stepped : uint8_t { kDone, kStale, kLost };

  // Looking for work: upkeep.cc.
  Task<void> tend();
  void complain(std::string_view what, const Error& error);
  void complain_of_row(std::string_view key);
  Task<Result<void>> look_for_jobs();
  Task<Result<void>> adopt();
  Task<Result<void>> adopt_stream(Table table);
  Task<Result<void>> want_sweep();
  Task<Result<void>> trim_vector_logs();
  Task<Result<void>> want(JobKind kind, SystemRow rows);
  bool is_free(const std::string& key, const Job& job, storage::Version version);
  Task<void> work(Job job, storage::Version seen);
  Task<Result<bool>> claim(Job& job, storage::Version seen);
  Task<Result<bool>> reload(Job& job);
  Task<void> let_go(Job job);
  Task<Result<End>> carry_on(Job& job);

  // Stores `job` as it is now, unless another server has taken it over.
  Task<Result<Stepped>> step(const Job& job, Step step);
  Task<Result<End>> finish(const Job& job);
  // The same, for changes of the catalogue; a change of it that was refused tells whether the job is lost.
  Catalog::Rider rider(const Job& job, bool ends);
  // False: stop.
  Task<bool> wait(int64_t ms);
  // `times` as long as the work since `began_ns` took, and others go first.
  Task<void> rest(int64_t began_ns, int64_t times);

  // upkeep_jobs.cc
  Task<Result<End>> fill_index(Job& job);
  // Says now and then how far the job is.
  Task<Result<void>> tell_progress(const Job& job, Table table, int64_t& told_ns);
  // Whether an item has a row of those that are filled in, and puts it; the size that is counted for it.
  using HasRow = FunctionRef<bool(const model::Item& item)>;
  using PutRow = FunctionRef<size_t(const model::Item& item, const storage::Key& key, storage::Changes& changes)>;
  Task<Result<Stepped>> fill_rows(Job& job, Table table, const storage::Page& page, HasRow has_row, PutRow put_row);
  Task<Result<Stepped>> fill_page(Job& job, Table table, uint16_t index_id, const storage::Page& page);
  Task<Result<Stepped>> estimate_filled(const Job& job);
  Task<Result<End>> end_fill(Job& job);
  Task<Result<End>> drop_index(Job& job);
  Task<Result<End>> drop_table(Job& job);
  Task<Result<End>> sweep_tokens(Job& job);

  // upkeep_streams.cc
  Task<Result<End>> tend_streams(Job& job);
  Task<Result<void>> tend_stream(StreamRow row, storage::Version version);
  Task<Result<void>> trim_shard(std::string topic);
  Task<Result<void>> tend_live(StreamRow row, std::set<uint32_t> over);
  Task<Result<void>> tend_ended(StreamRow row, storage::Version version, std::set<uint32_t> over);

  // upkeep_expiry.cc
  Task<Result<void>> want_expiry();
  void show_expiry(const TableInfo& table, const storage::Page& page);
  Task<Result<End>> expire(Job& job);
  Task<Result<void>> expire_page(Job& job, Table table, const storage::Page& page);
  Task<Result<End>> fill_expiry(Job& job);
  Task<Result<Stepped>> fill_expiry_page(Job& job, Table table, const storage::Page& page);
  Task<Result<End>> drop_expiry(Job& job);

  // upkeep_counts.cc
  Task<Result<End>> count(Job& job);
  Task<Result<Stepped>> count_page(Job& job, Table table);
  Task<Result<void>> follow_log(Job& job, Zone& zone);
  Task<Result<Stepped>> end_count(Job& job, Table table);
  Task<Result<Stepped>> sum_up(Job& job, Table table, uint64_t before, std::optional<uint16_t> except, size_t& left);

  storage::Engine& engine_;
  Catalog& catalog_;
  const Clock& clock_;
  Random& random_;
  const Options& options_;
  Background& background_;

  UpkeepView view_;
  // Of the background thread alone.
  std::set<std::string> mine_;
  std::map<std::string, Sight> seen_;
  bool adopted_ = false;
  LogThrottle complaints_{10'000};
  LogThrottle damages_{60'000};
  bool sweep_wanted_ = true;
  int64_t swept_ns_ = 0;
  int64_t old_expiry_due_ns_ = 0;  // when what expired long ago is looked for again
};

}  // namespace partita::table
