#include "sinks/hook_options.h"

#include <charconv>
#include <string_view>

namespace partita::sinks {

namespace {

Error wrong_hook_option(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

Result<int64_t> hook_number(std::string_view name, std::string_view text, int64_t least, int64_t most) {
  int64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && stopped == text.data() + text.size();
  if (is_number && value >= least && value <= most) return value;
  return wrong_hook_option("The option " + std::string(name) + " is a number from " + std::to_string(least) + " to " +
                           std::to_string(most) + ".");
}

Result<int64_t> hook_age_ms(std::string_view name, std::string_view text) {
  constexpr int64_t kMostSeconds = 604'800;
  constexpr int64_t kLeastSeconds = 60;
  PARTITA_TRY(const int64_t seconds, hook_number(name, text, -1, kMostSeconds));
  if (seconds == -1) return seconds;
  if (seconds >= kLeastSeconds) return seconds * 1'000;
  return wrong_hook_option("The option " + std::string(name) + " is -1, or a number from 60 to 604800.");
}

Result<bool> hook_yes_or_no(std::string_view name, std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  return wrong_hook_option("The option " + std::string(name) + " is true or false.");
}

Error unknown_hook_option(const std::string& name) {
  if (name == "DestinationConfig") {
    return wrong_hook_option("Hooks have no option DestinationConfig: OnFailure is the URL of its destination.");
  }
  return wrong_hook_option(
      "Hooks have no option " + name +
      ": BatchSize, MaximumBatchingWindowInSeconds, ParallelizationFactor, MaximumRetryAttempts, "
      "MaximumRecordAgeInSeconds, BisectBatchOnFunctionError, FunctionResponseTypes, FilterCriteria, "
      "TumblingWindowInSeconds, OnFailure or Timeout.");
}

Result<void> set_hook_option(HookOptions& options, const std::string& name, const std::string& text) {
  if (name == "BatchSize") {
    PARTITA_TRY(const int64_t value, hook_number(name, text, 1, 10'000));
    options.batch_size = static_cast<size_t>(value);
  } else if (name == "MaximumBatchingWindowInSeconds") {
    PARTITA_TRY(const int64_t value, hook_number(name, text, 0, 300));
    options.window_ms = value * 1'000;
  } else if (name == "ParallelizationFactor") {
    PARTITA_TRY(const int64_t value, hook_number(name, text, 1, HookOptions::kMostLanes));
    options.lanes = static_cast<size_t>(value);
  } else if (name == "MaximumRetryAttempts") {
    PARTITA_TRY(options.most_retries, hook_number(name, text, -1, 10'000));
  } else if (name == "MaximumRecordAgeInSeconds") {
    PARTITA_TRY(options.most_age_ms, hook_age_ms(name, text));
  } else if (name == "BisectBatchOnFunctionError") {
    PARTITA_TRY(options.bisects, hook_yes_or_no(name, text));
  } else if (name == "FunctionResponseTypes") {
    options.reports_items = text == "ReportBatchItemFailures";
    if (!options.reports_items && !text.empty()) {
      return wrong_hook_option("The option FunctionResponseTypes is ReportBatchItemFailures, or empty.");
    }
  } else if (name == "FilterCriteria") {
    PARTITA_TRY(options.filter, FilterCriteria::parse(text));
  } else if (name == "OnFailure") {
    options.on_failure = text;
    if (!text.empty() && !text.starts_with("https://") && !text.starts_with("http://")) {
      return wrong_hook_option("The option OnFailure is a URL: https://HOST[:PORT][/PATH][?QUERY], or http.");
    }
  } else if (name == "Timeout") {
    PARTITA_TRY(const int64_t value, hook_number(name, text, 1, 900));
    options.timeout_ms = value * 1'000;
  } else if (name == "TumblingWindowInSeconds") {
    PARTITA_TRY(const int64_t value, hook_number(name, text, 0, 900));
    options.tumbling_ms = value * 1'000;
  } else {
    return unknown_hook_option(name);
  }
  return {};
}

}  // namespace

Result<HookOptions> HookOptions::from(const std::map<std::string, std::string, std::less<>>& options) {
  HookOptions taken;
  for (const auto& [name, text] : options) PARTITA_TRY_VOID(set_hook_option(taken, name, text));
  if (taken.tumbling_ms > 0 && taken.lanes > 1) {
    return wrong_hook_option("TumblingWindowInSeconds needs a ParallelizationFactor of 1.");
  }
  return taken;
}

}  // namespace partita::sinks
