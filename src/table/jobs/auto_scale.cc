#include <optional>

#include "table/jobs/job_type.h"
#include "table/scaling/scaler.h"

namespace partita::table {

namespace {

class AutoScale final : public JobType {
 public:
  std::string describe(const Job& /*job*/) const override { return "scaling tables"; }
  Task<Result<void>> find(JobSearch& search) override {
    TableContext& context = search.context();
    if (!scaler_) scaler_.emplace(context.random().next());
    return scaler_->look(context);
  }
  int64_t find_every_ms() const override { return kEveryMs; }

 private:
  static constexpr int64_t kEveryMs = 1'000;
  std::optional<Scaler> scaler_;
};

}  // namespace

std::unique_ptr<JobType> auto_scale() { return std::make_unique<AutoScale>(); }

}  // namespace partita::table
