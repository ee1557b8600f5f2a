#include "cloudwatch/parameters.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

#include "base/bytes.h"
#include "model/fault.h"

namespace partita::cloudwatch {

namespace {

using model::Fault;
using wire::Document;

constexpr int64_t kMsPerSecond = 1'000;
constexpr double kMostTime = 1e11;  // seconds: the year 5138

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> number_in(const Document& value) {
  if (const auto* const whole = value.as<int64_t>()) return static_cast<double>(*whole);
  if (const auto* const number = value.as<double>()) return *number;
  const auto* const text = value.as<std::string>();
  return text == nullptr ? std::nullopt : parsed<double>(*text);
}

// "2026-11-26T15:04:05", with a fraction or not, then "Z", "+01:00", "+0000" or nothing.
std::optional<int64_t> iso_ms(std::string_view text) {
  constexpr size_t kToSeconds = 19;
  if (text.size() < kToSeconds || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') ||
      text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  const auto part = [&](size_t at, size_t size) { return parsed<unsigned>(text.substr(at, size)); };
  const auto year = part(0, 4);
  const auto month = part(5, 2);
  const auto day = part(8, 2);
  const auto hour = part(11, 2);
  const auto minute = part(14, 2);
  const auto second = part(17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  int64_t ms = (int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86'400 + *hour * 3'600 +
                *minute * 60 + *second) *
               kMsPerSecond;
  text.remove_prefix(kToSeconds);
  if (text.starts_with('.')) {
    size_t digits = 1;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
    const auto fraction = parsed<double>("0" + std::string(text.substr(0, digits)));
    if (!fraction) return std::nullopt;
    ms += static_cast<int64_t>(*fraction * kMsPerSecond);
    text.remove_prefix(digits);
  }
  if (text.empty() || text == "Z") return ms;
  std::string offset;
  for (const char c : text.substr(1)) {
    if (c != ':') offset.push_back(c);
  }
  const auto ahead = parsed<unsigned>(offset);
  if (!ahead || offset.size() != 4 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int64_t ahead_ms = (int64_t{*ahead / 100} * 60 + *ahead % 100) * 60 * kMsPerSecond;
  return text[0] == '+' ? ms - ahead_ms : ms + ahead_ms;
}

}  // namespace

Error invalid(std::string_view parameter, std::string must) {
  return model::refuse(Fault::kMonitorInvalid, {std::string(parameter), std::move(must)});
}

Result<std::optional<std::string>> Parameters::text(std::string_view name, size_t least, size_t most) const {
  const Document* const found = document_->find(name);
  if (found == nullptr) return std::optional<std::string>();
  const auto* const text = found->as<std::string>();
  if (text == nullptr) return invalid(name, "must be a text");
  const size_t length = utf16_length(*text);
  if (length < least || length > most) {
    return invalid(name, "must have " + std::to_string(least) + " to " + std::to_string(most) + " characters");
  }
  return std::optional<std::string>(*text);
}

Result<std::string> Parameters::needed_text(std::string_view name, size_t least, size_t most) const {
  PARTITA_TRY(auto found, text(name, least, most));
  if (!found) return model::refuse(Fault::kMonitorMissing, {std::string(name)});
  return *std::move(found);
}

Result<std::optional<std::string>> Parameters::word(std::string_view name,
                                                    std::span<const std::string_view> words) const {
  PARTITA_TRY(auto found, text(name, 0, SIZE_MAX));
  if (!found) return found;
  std::string all;
  for (const std::string_view word : words) {
    if (word == *found) return found;
    all.append(all.empty() ? "" : ", ").append(word);
  }
  return invalid(name, "must be one of " + all);
}

Result<std::optional<int64_t>> Parameters::whole(std::string_view name, int64_t least, int64_t most) const {
  const Document* const found = document_->find(name);
  if (found == nullptr) return std::optional<int64_t>();
  const auto value = number_in(*found);
  if (!value || *value != std::floor(*value)) return invalid(name, "must be a whole number");
  if (*value < static_cast<double>(least)) return invalid(name, "must be at least " + std::to_string(least));
  if (*value > static_cast<double>(most)) return invalid(name, "must be at most " + std::to_string(most));
  return std::optional<int64_t>(static_cast<int64_t>(*value));
}

Result<int64_t> Parameters::needed_whole(std::string_view name, int64_t least, int64_t most) const {
  PARTITA_TRY(const auto found, whole(name, least, most));
  if (!found) return model::refuse(Fault::kMonitorMissing, {std::string(name)});
  return *found;
}

Result<std::optional<double>> Parameters::number(std::string_view name) const {
  const Document* const found = document_->find(name);
  if (found == nullptr) return std::optional<double>();
  const auto value = number_in(*found);
  if (!value || !std::isfinite(*value)) return invalid(name, "must be a number");
  return value;
}

Result<std::optional<bool>> Parameters::flag(std::string_view name) const {
  const Document* const found = document_->find(name);
  if (found == nullptr) return std::optional<bool>();
  if (const auto* const flag = found->as<bool>()) return std::optional<bool>(*flag);
  const auto* const text = found->as<std::string>();
  if (text != nullptr && (*text == "true" || *text == "false")) return std::optional<bool>(*text == "true");
  return invalid(name, "must be true or false");
}

Result<std::optional<int64_t>> Parameters::time(std::string_view name) const {
  const Document* const found = document_->find(name);
  if (found == nullptr) return std::optional<int64_t>();
  if (const auto* const time = found->as<Document::Time>()) return std::optional<int64_t>(time->ms);
  if (const auto* const text = found->as<std::string>()) {
    if (const auto ms = iso_ms(*text)) return ms;
  }
  const auto seconds = number_in(*found);
  if (!seconds || !(std::abs(*seconds) < kMostTime)) return invalid(name, "must be a time");
  return std::optional<int64_t>(std::llround(*seconds * kMsPerSecond));
}

Result<int64_t> Parameters::needed_time(std::string_view name) const {
  PARTITA_TRY(const auto found, time(name));
  if (!found) return model::refuse(Fault::kMonitorMissing, {std::string(name)});
  return *found;
}

// A form says that a list is empty by an empty text.
Result<std::vector<const Document*>> Parameters::list(std::string_view name, size_t most) const {
  std::vector<const Document*> all;
  const Document* const found = document_->find(name);
  if (found == nullptr) return all;
  const auto* const text = found->as<std::string>();
  if (text != nullptr && text->empty()) return all;
  const auto* const list = found->as<Document::List>();
  if (list == nullptr) return invalid(name, "must be a list");
  if (list->size() > most) return invalid(name, "must have at most " + std::to_string(most) + " elements");
  for (const Document& one : *list) all.push_back(&one);
  return all;
}

Result<std::vector<std::string>> Parameters::texts(std::string_view name, size_t most) const {
  PARTITA_TRY(const auto elements, list(name, most));
  std::vector<std::string> all;
  for (const Document* const one : elements) {
    const auto* const text = one->as<std::string>();
    if (text == nullptr) return invalid(name, "must be a list of texts");
    all.push_back(*text);
  }
  return all;
}

Result<std::vector<std::string>> Parameters::distinct_texts(std::string_view name, size_t most) const {
  PARTITA_TRY(std::vector<std::string> all, texts(name, most));
  std::vector<std::string> distinct;
  for (std::string& one : all) {
    if (std::ranges::find(distinct, one) == distinct.end()) distinct.push_back(std::move(one));
  }
  return distinct;
}

Result<std::vector<Parameters>> Parameters::structures(std::string_view name, size_t most) const {
  PARTITA_TRY(const auto elements, list(name, most));
  std::vector<Parameters> all;
  for (const Document* const one : elements) {
    if (one->as<Document::Map>() == nullptr) return invalid(name, "must be a list of structures");
    all.emplace_back(*one, operation_);
  }
  return all;
}

Result<std::optional<Parameters>> Parameters::structure(std::string_view name) const {
  const Document* const found = document_->find(name);
  if (found == nullptr) return std::optional<Parameters>();
  if (found->as<Document::Map>() == nullptr) return invalid(name, "must be a structure");
  return std::optional<Parameters>(Parameters(*found, operation_));
}

Result<void> Parameters::refuse(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    const Document* const found = document_->find(name);
    if (found == nullptr) continue;
    const auto* const list = found->as<Document::List>();
    const auto* const text = found->as<std::string>();
    if ((list != nullptr && list->empty()) || (text != nullptr && text->empty())) continue;
    return model::refuse(Fault::kMonitorUnserved, {std::string(name), std::string(operation_)});
  }
  return {};
}

}  // namespace partita::cloudwatch
