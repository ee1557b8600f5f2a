// Which series and metrics a table has had, in a row of its own, so that a list of them reads no values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "metrics/chunk.h"

namespace partita::metrics {

// Of one table, or of the account.
class KnownSeries {
 public:
  struct Entry {
    uint64_t metrics = 0;  // a bit for each, by its number
    int64_t hour = 0;      // of the last value, exact to a day
    bool operator==(const Entry&) const = default;
  };

  // Errors: kCorrupt; kInvalid for a row of a newer version.
  static Result<KnownSeries> read(std::string_view row);
  std::string row() const;

  // True: the row has to be written, since it lacks the metric, or says that its last value is older than a day.
  bool note(const SeriesPart& part, Metric metric, int64_t hour);
  void merge(const KnownSeries& other);
  // Removes series whose last value is older than that.
  void forget_before(int64_t hour);
  // Of later values it says that they are of that hour.
  void limit_to(int64_t hour);

  const std::map<SeriesPart, Entry>& entries() const { return entries_; }

 private:
  std::map<SeriesPart, Entry> entries_;
};

}  // namespace partita::metrics
