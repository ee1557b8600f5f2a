// Sends items of a table to the other end, as they are at that moment.
#pragma once

#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/blocking_scope.h"
#include "base/executor.h"
#include "base/result.h"
#include "base/task.h"
#include "base/workers.h"
#include "sinks/backlog.h"
#include "sinks/destination.h"
#include "sinks/item_filter.h"
#include "sinks/progress.h"
#include "storage/engine.h"
#include "table/catalog/table_context.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

// What became of items that were sent.
struct Sent {
  std::vector<std::string> later;  // the keys of those to send again
  std::string trouble;             // why; empty if there are none, or it was halted
  uint64_t sent = 0;
  uint64_t conflicts = 0;
  uint64_t rejected = 0;
  std::vector<std::string> rejected_keys;
  Positions ends{};  // the logs' ends that versions were made of; zero for slices without items
};

// Runs work that blocks on a thread of `workers`, and continues where it was. Error: kUnavailable, if there is none, or
// no memory for it.
template <class Work>
auto on_worker(Workers& workers, Work work) -> Task<decltype(work())> {
  const auto run_blocking = [&work]() -> decltype(work()) {
    const BlockingScope blocking;
    try {
      return work();
    } catch (const std::bad_alloc&) {
      return Error(ErrorKind::kUnavailable, "There is no memory for it.");
    }
  };
  Executor* const home = Executor::current();
  const bool entered = co_await workers.enter();
  if (!entered) co_return Error(ErrorKind::kUnavailable, "the system makes no thread.");
  auto done = run_blocking();
  co_await SwitchTo{home};
  co_return done;
}

// For one coroutine. What it is made of outlives it. `halted` is asked between requests and dead letters: true leaves
// the rest for later.
class Sender {
 public:
  Sender(table::TableContext& context, Workers& workers, Destination& destination, Backlog& backlog,
         const table::Sink& sink, table::Table table, std::function<bool()> halted)
      : context_(context),
        workers_(workers),
        destination_(destination),
        backlog_(backlog),
        sink_(sink),
        table_(std::move(table)),
        halted_(std::move(halted)) {}

  // Once, before anything is sent. Errors: faults of expressions.
  Result<void> prepare();

  // Items of these keys, which are distinct; those that are absent are deleted. Errors: those of the engine; kInvalid
  // (reason 0), if no more can be sent before something is changed. After `until_ns` of the monotonic clock, no second
  // request begins.
  Task<Result<Sent>> send_keys(std::vector<std::string> keys, int64_t until_ns);
  // The same for rows of the table, during a fill. `ends`: those of the logs before the page was read. Rows that the
  // filter leaves out are not sent: what the index has of them by then, their changes during the fill delete after it.
  Task<Result<Sent>> send_page(const storage::Page& page, Positions ends);

 private:
  struct Row {
    std::string key;
    std::optional<std::string> stored;  // nullopt: there is no such item
  };
  Task<Result<void>> send_rows(std::vector<Row> rows, Positions ends, bool deletes, Sent& sent);
  Task<Result<void>> take(const Row& row, Outcome outcome, uint64_t version, Sent& sent);
  // nullopt: not sent, for it would be deleted.
  Result<std::vector<std::optional<Outcome>>> send_blocking(const std::vector<Row>& rows,
                                                            const std::vector<uint64_t>& versions, bool deletes);

  table::TableContext& context_;
  Workers& workers_;
  Destination& destination_;
  Backlog& backlog_;
  const table::Sink& sink_;
  const table::Table table_;
  const std::function<bool()> halted_;
  ItemFilter filter_;
  size_t row_bytes_ = 0;  // of an item, about, by those that were read last
};

}  // namespace partita::sinks
