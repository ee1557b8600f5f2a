#include "sinks/hook_lane.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "base/clock.h"

namespace partita::sinks {

namespace {

constexpr size_t kMostParts = 64;

std::string position_hex(const storage::Position& position) {
  std::string text;
  for (const uint8_t byte : position.bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::optional<storage::Position> position_from_hex(std::string_view text) {
  storage::Position position;
  if (text.size() != 2 * position.bytes.size()) return std::nullopt;
  for (size_t i = 0; i < position.bytes.size(); ++i) {
    const char* const end = text.data() + 2 * i + 2;
    if (const auto [at, error] = std::from_chars(end - 2, end, position.bytes[i], 16);
        error != std::errc() || at != end) {
      return std::nullopt;
    }
  }
  return position;
}

// Takes the text up to the mark, and the mark.
std::string_view take_until(std::string_view& text, char mark) {
  const std::string_view taken = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(taken.size() + 1, text.size()));
  return taken;
}

template <class Number>
bool take_hook_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// LANE=FIRST-LAST:REASON
bool take_given_up(std::string_view word, std::vector<StoredLane>& lanes) {
  size_t number = 0;
  if (!take_hook_number(take_until(word, '='), number) || number >= lanes.size()) return false;
  const auto first = position_from_hex(take_until(word, '-'));
  const auto last = position_from_hex(take_until(word, ':'));
  auto reason = decode_base64(word);
  std::vector<GivenUp>& all = lanes[number].given_up;
  if (!first || !last || *last < *first || !reason || !is_utf8(*reason)) return false;
  if ((!all.empty() && *first <= all.back().last) || all.size() == StoredLane::kMostGivenUp) return false;
  all.push_back({.first = *first, .last = *last, .reason = *std::move(reason)});
  return true;
}

bool take_stored_lane(std::string_view word, std::vector<StoredLane>& lanes) {
  size_t number = 0;
  if (!take_hook_number(take_until(word, '='), number) || number >= lanes.size()) return false;
  StoredLane& lane = lanes[number];
  const std::string_view upto = take_until(word, ':');
  if (!upto.empty() && !(lane.upto = position_from_hex(upto))) return false;
  while (!word.empty()) {
    std::string_view part_text = take_until(word, ',');
    HookLane::Part part;
    if (!take_hook_number(take_until(part_text, '*'), part.records) || part.records == 0) return false;
    if (!take_hook_number(part_text, part.failures) || lane.parts.size() == kMostParts) return false;
    lane.parts.push_back(part);
  }
  return true;
}

}  // namespace

void HookLane::pass(size_t records) {
  while (records > 0 && !parts_.empty()) {
    const size_t passed = std::min(records, parts_.back().records);
    parts_.back().records -= passed;
    records -= passed;
    if (parts_.back().records == 0) parts_.pop_back();
  }
}

void HookLane::succeed(size_t records) {
  pass(records);
  delay_ms_ = retry_at_ns_ = 0;
}

HookLane::Failed HookLane::fail(size_t records, size_t first, const HookOptions& options, int64_t now_ns) {
  if (parts_.empty()) {
    parts_.push_back({.records = records});
  } else if (records < parts_.back().records) {
    parts_.back().records -= records;
    parts_.push_back({.records = records, .failures = parts_.back().failures});
  }
  Failed failed{.done = first};
  Part& part = parts_.back();
  if (first > 0) {
    part = {.records = records - first};
    delay_ms_ = 0;
  }
  delay(now_ns);
  if (options.bisects && part.records > 1) {
    // Which is no attempt of the records that did not fail, nor one of those that did.
    if (first > 0) return failed;
    const Part front{.records = part.records / 2, .failures = part.failures};
    part.records -= front.records;
    parts_.push_back(front);
    return failed;
  }
  ++part.failures;
  if (options.most_retries < 0 || part.failures <= options.most_retries) return failed;
  failed.discarded = part.records;
  failed.calls = part.failures;
  parts_.pop_back();
  delay_ms_ = retry_at_ns_ = 0;
  return failed;
}

void HookLane::delay(int64_t now_ns) {
  delay_ms_ = delay_ms_ == 0 ? kFirstDelayMs : std::min(2 * delay_ms_, kMostDelayMs);
  retry_at_ns_ = now_ns + delay_ms_ * kNsPerMs;
}

std::string hook_text(const std::vector<StoredLane>& lanes) {
  std::string text;
  for (size_t i = 0; i < lanes.size(); ++i) {
    const StoredLane& lane = lanes[i];
    for (const GivenUp& one : lane.given_up) {
      text += " -" + std::to_string(i) + "=" + position_hex(one.first) + "-" + position_hex(one.last) + ":";
      append_base64(text, utf8_prefix(one.reason, GivenUp::kMostReason));
    }
    if (!lane.upto && lane.parts.empty()) continue;
    text += " " + std::to_string(i) + "=" + (lane.upto ? position_hex(*lane.upto) : "") + ":";
    for (size_t at = 0; at < lane.parts.size(); ++at) {
      if (at > 0) text += ",";
      text += std::to_string(lane.parts[at].records) + "*" + std::to_string(lane.parts[at].failures);
    }
  }
  return text.empty() ? text : std::to_string(lanes.size()) + text;
}

std::vector<StoredLane> hook_lanes_from(std::string_view text, size_t lanes) {
  const std::vector<StoredLane> none(lanes);
  std::vector<StoredLane> found(lanes);
  size_t count = 0;
  if (!take_hook_number(take_until(text, ' '), count) || count != lanes) return none;
  while (!text.empty()) {
    std::string_view word = take_until(text, ' ');
    const bool is_given_up = word.starts_with('-');
    if (is_given_up) word.remove_prefix(1);
    if (!(is_given_up ? take_given_up(word, found) : take_stored_lane(word, found))) return none;
  }
  return found;
}

}  // namespace partita::sinks
