#include "table/control/capacity_rules.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "model/fault.h"
#include "model/limits.h"

namespace partita::table {

namespace {

using model::Fault;
using model::refuse;

constexpr int64_t kHourMs = 60LL * 60 * 1000;
constexpr int64_t kDayMs = 24 * kHourMs;

// One member of a pair of units: its value, if it was sent, and its name.
struct NamedUnits {
  std::optional<int64_t> value;
  const char* name;
  const char* quota;  // of DescribeLimits
};

using UnitsPair = std::array<NamedUnits, 2>;
constexpr const char* kReadQuota = "TableMaxReadCapacityUnits";
constexpr const char* kWriteQuota = "TableMaxWriteCapacityUnits";

UnitsPair members_of(const std::optional<api::Units>& units) {
  if (!units) return {};
  return {{{units->read, "ReadCapacityUnits", kReadQuota}, {units->write, "WriteCapacityUnits", kWriteQuota}}};
}

UnitsPair members_of(const api::OnDemandLimits& limits) {
  return {{{limits.max_read_units, "MaxReadRequestUnits", kReadQuota},
           {limits.max_write_units, "MaxWriteRequestUnits", kWriteQuota}}};
}

UnitsPair members_of(const api::WarmRequest& warm) {
  return {
      {{warm.read_units, "ReadUnitsPerSecond", kReadQuota}, {warm.write_units, "WriteUnitsPerSecond", kWriteQuota}}};
}

// "table", or the index behind `before`.
std::string subject(const CapacityOf& whose, const std::string& before) {
  return whose.index.empty() ? "table" : before + whose.index;
}

std::string behind(const CapacityOf& whose, const std::string& before) {
  return whose.index.empty() ? "" : before + whose.index;
}

Result<void> check_limit_range(const api::OnDemandLimits& limits, int64_t least, const CapacityOf& whose) {
  const std::string who = subject(whose, "index : ");
  for (const NamedUnits& member : members_of(limits)) {
    if (!member.value) continue;
    if (*member.value == 0 || *member.value < least) return refuse(Fault::kLimitOutOfRange, {member.name, who});
    if (*member.value > model::kMaxTableUnits) {
      return refuse(Fault::kCapacityAboveMaximum, {member.name, "OnDemandThroughput", who, member.quota, whose.region});
    }
  }
  return {};
}

Result<void> check_limit_mode(const api::OnDemandLimits& limits, api::BillingMode mode, Fault fault,
                              const std::string& index) {
  if (mode == api::BillingMode::kPayPerRequest) return {};
  for (const NamedUnits& member : members_of(limits)) {
    if (member.value) return refuse(fault, {member.name, index});
  }
  return {};
}

Result<void> check_warm_maximum(const api::WarmRequest& warm, const CapacityOf& whose) {
  for (const NamedUnits& member : members_of(warm)) {
    if (member.value.value_or(0) <= model::kMaxTableUnits) continue;
    return refuse(Fault::kCapacityAboveMaximum,
                  {member.name, "WarmThroughput", subject(whose, "index "), member.quota, whose.region});
  }
  return {};
}

// "Thursday, October 8, 2026 at 11:20:48 PM Coordinated Universal Time"
std::string spelled(int64_t ms) {
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> date{};
  std::array<char, 64> time{};
  std::strftime(date.data(), date.size(), "%A, %B ", &parts);
  const int hour = parts.tm_hour % 12 == 0 ? 12 : parts.tm_hour % 12;
  std::snprintf(time.data(), time.size(), "%d, %d at %d:%02d:%02d %s", parts.tm_mday, 1900 + parts.tm_year, hour,
                parts.tm_min, parts.tm_sec, parts.tm_hour < 12 ? "AM" : "PM");
  return std::string(date.data()) + time.data() + " Coordinated Universal Time";
}

// Four a day, in UTC, and then one an hour: "Quotas" in DynamoDB's developer guide.
Result<void> check_decreases(const Throughput& throughput, int64_t now_ms) {
  const int64_t decreases = throughput.decreases_on(now_ms);
  const int64_t last_ms = throughput.last_decrease_ms;
  if (decreases < model::kMaxDecreasesAtOnce || now_ms - last_ms >= kHourMs) return {};
  const int64_t midnight_ms = (now_ms / kDayMs + 1) * kDayMs;
  return refuse(Fault::kDecreasesLimited,
                {std::to_string(decreases), spelled(last_ms), spelled(std::min(midnight_ms, last_ms + kHourMs))});
}

}  // namespace

Result<void> check_bounds(const std::optional<api::Units>& units, const CapacityOf& whose) {
  for (const NamedUnits& member : members_of(units)) {
    if (member.value.value_or(0) <= model::kMaxUnits) continue;
    return refuse(Fault::kUnitsOutOfBounds, {std::to_string(*member.value), member.name, behind(whose, " for index ")});
  }
  return {};
}

Result<void> check_maximum(const std::optional<api::Units>& units, const CapacityOf& whose) {
  for (const NamedUnits& member : members_of(units)) {
    if (member.value.value_or(0) <= model::kMaxTableUnits) continue;
    return refuse(Fault::kUnitsAboveMaximum, {member.name, behind(whose, " for index "), std::to_string(*member.value),
                                              whose.index.empty() ? "table" : "index", whose.region});
  }
  return {};
}

Result<void> check_new_limits(const api::OnDemandLimits& limits, api::BillingMode mode, const CapacityOf& whose) {
  PARTITA_TRY_VOID(check_limit_mode(limits, mode, Fault::kLimitsOnProvisioned, behind(whose, " for index: ")));
  return check_limit_range(limits, 1, whose);
}

Result<void> change_limits(api::OnDemandLimits& limits, const api::OnDemandLimits& wanted, api::BillingMode mode,
                           const CapacityOf& whose) {
  PARTITA_TRY_VOID(check_limit_mode(wanted, mode, Fault::kLimitsOnProvisionedUpdate, behind(whose, " for index : ")));
  PARTITA_TRY_VOID(check_limit_range(wanted, -1, whose));
  if (wanted.max_read_units) limits.max_read_units = wanted.max_read_units;
  if (wanted.max_write_units) limits.max_write_units = wanted.max_write_units;
  return {};
}

Result<WarmThroughput> new_warmth(const api::WarmRequest& wanted, api::BillingMode mode, const Throughput& throughput,
                                  const CapacityOf& whose) {
  const WarmThroughput initial = initial_warmth(mode, throughput);
  const std::array<int64_t, 2> least{initial.read_units, initial.write_units};
  const std::array<const char*, 2> provisioned{"ReadCapacityUnits", "WriteCapacityUnits"};
  const UnitsPair members = members_of(wanted);
  for (size_t i = 0; i < members.size(); ++i) {
    if (!members[i].value || *members[i].value >= least[i]) continue;
    const bool on_demand = mode == api::BillingMode::kPayPerRequest;
    return refuse(on_demand ? Fault::kWarmBelowInitial : Fault::kWarmBelowProvisioned,
                  {members[i].name, subject(whose, "index "), provisioned[i]});
  }
  PARTITA_TRY_VOID(check_warm_maximum(wanted, whose));
  return WarmThroughput{wanted.read_units.value_or(initial.read_units),
                        wanted.write_units.value_or(initial.write_units)};
}

Result<WarmThroughput> raised_warmth(const WarmThroughput& now, const api::WarmRequest& wanted,
                                     const CapacityOf& whose) {
  const std::array<int64_t, 2> least{now.read_units, now.write_units};
  const UnitsPair members = members_of(wanted);
  for (size_t i = 0; i < members.size(); ++i) {
    if (!members[i].value || *members[i].value >= least[i]) continue;
    return refuse(Fault::kWarmDecreased, {members[i].name, subject(whose, "index ")});
  }
  PARTITA_TRY_VOID(check_warm_maximum(wanted, whose));
  return WarmThroughput{wanted.read_units.value_or(now.read_units), wanted.write_units.value_or(now.write_units)};
}

Result<void> change_units(Throughput& throughput, const api::Units& wanted, const CapacityOf& whose, int64_t now_ms,
                          int64_t due_ms) {
  const api::Units now{throughput.read_units, throughput.write_units};
  if (now == wanted) {
    std::vector<std::string> args{std::to_string(now.read), std::to_string(wanted.read), std::to_string(now.write),
                                  std::to_string(wanted.write)};
    if (whose.index.empty()) return refuse(Fault::kThroughputUnchanged, std::move(args));
    args.push_back(whose.index);
    return refuse(Fault::kIndexThroughputUnchanged, std::move(args));
  }
  PARTITA_TRY_VOID(check_maximum(wanted, whose));
  const bool decreases = wanted.read < now.read || wanted.write < now.write;
  if (decreases) PARTITA_TRY_VOID(check_decreases(throughput, now_ms));
  // DynamoDB shows the time at once, and the units and the count when the change is done.
  throughput.decreases_today = throughput.decreases_on(now_ms);
  throughput.next_decreases = throughput.decreases_today + (decreases ? 1 : 0);
  if (decreases) throughput.last_decrease_ms = now_ms;
  if (wanted.read > now.read || wanted.write > now.write) throughput.last_increase_ms = now_ms;
  throughput.next = {wanted, due_ms};
  return {};
}

}  // namespace partita::table
