#include "cloudwatch/label.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <ranges>

namespace partita::cloudwatch {

namespace {

constexpr std::string_view kBegin = "${";
constexpr std::string_view kNothing = "--";
constexpr std::string_view kDimensionProperty = "Dim.";

std::string text_of(double value) {
  std::string text(32, '\0');
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  text.resize(static_cast<size_t>(end - text.data()));
  return text;
}

std::string text_or_nothing(std::string_view text) { return std::string(text.empty() ? kNothing : text); }

// Of PROP('name').
std::optional<std::string> property(std::string_view name, const LabelFacts& facts) {
  if (name.starts_with(kDimensionProperty)) {
    name.remove_prefix(kDimensionProperty.size());
    if (facts.name == nullptr) return text_or_nothing({});
    const auto found = std::ranges::find(facts.name->dimensions, name, &metrics::Dimension::name);
    return text_or_nothing(found == facts.name->dimensions.end() ? std::string_view() : found->value);
  }
  if (name == "MetricName") return text_or_nothing(facts.name == nullptr ? "" : std::string_view(facts.name->metric));
  if (name == "Namespace") return text_or_nothing(facts.name == nullptr ? "" : std::string_view(facts.name->space));
  if (name == "Period") return std::to_string(facts.period_s);
  if (name == "Stat") return text_or_nothing(facts.statistic);
  if (name == "Region") return text_or_nothing(facts.region);
  if (name == "AccountId") return text_or_nothing(facts.account);
  return std::nullopt;
}

// Of the values of a time range, computed once for all that a label shows.
struct Totals {
  double least = 0;
  double most = 0;
  double sum = 0;
};

Totals totals_of(const Values& values) {
  const auto numbers = std::views::values(values);
  const auto [least, most] = std::ranges::minmax(numbers);
  return {least, most, std::accumulate(numbers.begin(), numbers.end(), 0.0)};
}

// What stands in the place of each ${...} of one label.
class Replacements {
 public:
  explicit Replacements(const LabelFacts& facts) : facts_(facts) {}

  // Nullopt: there is no such value, or it shows a time.
  std::optional<std::string> find(std::string_view name) {
    constexpr std::string_view kProperty = "PROP('";
    constexpr std::string_view kPropertyEnd = "')";
    if (name == "LABEL") return std::string(facts_.usual);
    if (!name.starts_with(kProperty) || !name.ends_with(kPropertyEnd)) return of_values(name);
    name.remove_prefix(kProperty.size());
    name.remove_suffix(std::min(kPropertyEnd.size(), name.size()));
    return property(name, facts_);
  }

 private:
  std::optional<std::string> of_values(std::string_view name) {
    constexpr std::array<std::string_view, 8> kKnown = {"AVG", "FIRST", "FIRST_LAST_RANGE", "LAST",
                                                        "MAX", "MIN",   "MIN_MAX_RANGE",    "SUM"};
    const size_t count = facts_.values == nullptr ? 0 : facts_.values->size();
    if (name == "DATAPOINT_COUNT") return std::to_string(count);
    if (std::ranges::find(kKnown, name) == kKnown.end()) return std::nullopt;
    if (count == 0) return std::string(kNothing);
    const double first = facts_.values->front().second;
    const double last = facts_.values->back().second;
    if (name == "FIRST") return text_of(first);
    if (name == "LAST") return text_of(last);
    if (name == "FIRST_LAST_RANGE") return text_of(last - first);
    const Totals totals = totals_of(*facts_.values);
    if (name == "AVG") return text_of(totals.sum / static_cast<double>(count));
    if (name == "MAX") return text_of(totals.most);
    if (name == "MIN") return text_of(totals.least);
    return text_of(name == "SUM" ? totals.sum : totals.most - totals.least);
  }

  const LabelFacts& facts_;
};

}  // namespace

Result<std::string> label_of(std::string_view label, const LabelFacts& facts) {
  Replacements replacements(facts);
  std::string out;
  while (true) {
    const size_t begin = label.find(kBegin);
    const size_t end = begin == std::string_view::npos ? begin : label.find('}', begin);
    if (end == std::string_view::npos) return out.append(label);
    const std::string_view name = label.substr(begin + kBegin.size(), end - begin - kBegin.size());
    const auto text = replacements.find(name);
    if (!text) return invalid("Label", "must not have ${" + std::string(name) + "}: Partita does not serve it");
    out.append(label.substr(0, begin)).append(*text);
    label.remove_prefix(end + 1);
  }
}

}  // namespace partita::cloudwatch
