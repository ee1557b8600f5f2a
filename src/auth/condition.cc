#include "auth/condition.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "auth/text_util.h"
#include "base/bytes.h"
#include "base/check.h"

namespace partita::auth {

namespace {

constexpr size_t kPartsOfArn = 6;
// What an address of version 4 begins with as one of version 6.
constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

Error wrong_condition(std::string sentence, std::string_view word) {
  return Error(ErrorKind::kInvalid, 0, {std::move(sentence), std::string(word)});
}

std::string lower_case(std::string_view text) {
  std::string lowered;
  for (const char c : text) lowered.push_back(lower(c));
  return lowered;
}

std::optional<bool> flag_in(std::string_view text) {
  if (std::ranges::equal(text, std::string_view("true"), {}, lower)) return true;
  if (std::ranges::equal(text, std::string_view("false"), {}, lower)) return false;
  return std::nullopt;
}

std::optional<double> seconds_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

// Takes so many digits off the text.
bool take_digits(std::string_view& text, size_t count, int& number) {
  if (text.size() < count) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + count, number);
  if (error != std::errc() || end != text.data() + count || text.front() == '-') return false;
  text.remove_prefix(count);
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// The fraction of a second, in milliseconds; what is finer is cut off.
bool take_fraction(std::string_view& text, int64_t& ms) {
  size_t digits = 0;
  for (int64_t weight = 100; digits < text.size() && text[digits] >= '0' && text[digits] <= '9';
       ++digits, weight /= 10) {
    ms += weight * (text[digits] - '0');
  }
  text.remove_prefix(digits);
  return digits > 0;
}

// "Z", "+01:30", "+0130" or nothing, which is UTC.
bool take_zone(std::string_view& text, int64_t& ms) {
  if (text.empty() || take(text, 'Z')) return true;
  const bool east = text.front() == '+';
  if (!east && text.front() != '-') return false;
  text.remove_prefix(1);
  int hours = 0;
  int minutes = 0;
  if (!take_digits(text, 2, hours)) return false;
  take(text, ':');
  if (!take_digits(text, 2, minutes) || hours > 23 || minutes > 59) return false;
  ms += (east ? -1 : 1) * (hours * 60 + minutes) * int64_t{60'000};
  return true;
}

// The W3C's profile of ISO 8601, from a year alone down to fractions of a second, or seconds since 1970.
std::optional<int64_t> date_in(std::string_view text) {
  constexpr double kFarAway = 1e12;
  const bool plain = text.size() > 4 && text.find_first_of("-:TZ", 1) == std::string_view::npos;
  if (plain) {
    const auto seconds = seconds_in(text);
    if (!seconds || std::abs(*seconds) > kFarAway) return std::nullopt;
    return static_cast<int64_t>(*seconds * 1000);
  }
  int year = 0;
  int month = 1;
  int day = 1;
  if (!take_digits(text, 4, year)) return std::nullopt;
  if (take(text, '-')) {
    if (!take_digits(text, 2, month)) return std::nullopt;
    if (take(text, '-') && !take_digits(text, 2, day)) return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  int64_t ms = int64_t{std::chrono::sys_days(date).time_since_epoch().count()} * 86'400'000;
  if (take(text, 'T')) {
    int hour = 0;
    int minute = 0;
    int second = 0;
    if (!take_digits(text, 2, hour) || !take(text, ':') || !take_digits(text, 2, minute)) return std::nullopt;
    if (take(text, ':') && !take_digits(text, 2, second)) return std::nullopt;
    if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
    ms += (hour * 3'600 + minute * 60 + second) * int64_t{1000};
    if (take(text, '.') && !take_fraction(text, ms)) return std::nullopt;
  }
  if (!take_zone(text, ms) || !text.empty()) return std::nullopt;
  return ms;
}

}  // namespace

const PolicyCondition::Operator* PolicyCondition::find_operator(std::string_view name) {
  static constexpr std::array kOperators = {
      Operator{"stringequals", Kind::kText},
      Operator{"stringnotequals", Kind::kText, Order::kEqual, true},
      Operator{"stringequalsignorecase", Kind::kText, Order::kEqual, false, false, true},
      Operator{"stringnotequalsignorecase", Kind::kText, Order::kEqual, true, false, true},
      Operator{"stringlike", Kind::kText, Order::kEqual, false, true},
      Operator{"stringnotlike", Kind::kText, Order::kEqual, true, true},
      Operator{"numericequals", Kind::kNumber},
      Operator{"numericnotequals", Kind::kNumber, Order::kEqual, true},
      Operator{"numericlessthan", Kind::kNumber, Order::kLess},
      Operator{"numericlessthanequals", Kind::kNumber, Order::kLessEqual},
      Operator{"numericgreaterthan", Kind::kNumber, Order::kGreater},
      Operator{"numericgreaterthanequals", Kind::kNumber, Order::kGreaterEqual},
      Operator{"dateequals", Kind::kDate},
      Operator{"datenotequals", Kind::kDate, Order::kEqual, true},
      Operator{"datelessthan", Kind::kDate, Order::kLess},
      Operator{"datelessthanequals", Kind::kDate, Order::kLessEqual},
      Operator{"dategreaterthan", Kind::kDate, Order::kGreater},
      Operator{"dategreaterthanequals", Kind::kDate, Order::kGreaterEqual},
      Operator{"bool", Kind::kBool},
      Operator{"binaryequals", Kind::kBinary},
      Operator{"ipaddress", Kind::kAddress},
      Operator{"notipaddress", Kind::kAddress, Order::kEqual, true},
      Operator{"arnequals", Kind::kArn},
      Operator{"arnlike", Kind::kArn},
      Operator{"arnnotequals", Kind::kArn, Order::kEqual, true},
      Operator{"arnnotlike", Kind::kArn, Order::kEqual, true},
      Operator{"null", Kind::kNull},
  };
  const auto found = std::ranges::find(kOperators, name, &Operator::name);
  return found == kOperators.end() ? nullptr : &*found;
}

Result<PolicyCondition> PolicyCondition::read(std::string_view op, std::string_view key,
                                              const std::vector<std::string>& values, bool variables) {
  constexpr std::string_view kIfExists = "ifexists";
  PolicyCondition condition;
  std::string name = lower_case(op);
  for (const auto& [prefix, over] : {std::pair{std::string_view("forallvalues:"), Over::kAllValues},
                                     std::pair{std::string_view("foranyvalue:"), Over::kAnyValue}}) {
    if (!name.starts_with(prefix)) continue;
    condition.over_ = over;
    name.erase(0, prefix.size());
    break;
  }
  if (name.ends_with(kIfExists)) {
    condition.if_exists_ = true;
    name.resize(name.size() - kIfExists.size());
  }
  const Operator* const found = find_operator(name);
  if (found == nullptr || (found->kind == Kind::kNull && condition.if_exists_)) {
    return wrong_condition("Invalid Condition type : " + std::string(op) + ".", op);
  }
  condition.kind_ = found->kind;
  condition.order_ = found->order;
  condition.negated_ = found->negated;
  condition.key_ = key_name(key).value_or(KeyName{});
  for (const std::string& value : values) PARTITA_TRY_VOID(condition.add(value, *found, variables));
  std::ranges::sort(condition.plain_);
  return condition;
}

Result<void> PolicyCondition::add(std::string_view value, const Operator& op, bool variables) {
  const auto unfit = [&](std::string_view what) {
    return wrong_condition("The value " + std::string(value) + " of a condition is no " + std::string(what) + ".",
                           value);
  };
  switch (kind_) {
    case Kind::kText:
    case Kind::kArn: {
      const bool arn = kind_ == Kind::kArn;
      auto pattern = Pattern::read(value, {arn || op.wildcards, variables, op.any_case});
      if (!pattern) return wrong_condition("The variable in " + std::string(value) + " is not one.", value);
      if (!arn) {
        if (const std::string* const plain = pattern->plain()) {
          plain_.push_back(*plain);
        } else {
          patterns_.push_back(std::move(*pattern));
        }
        return {};
      }
      std::vector<Pattern> parts = pattern->split_at_colons(kPartsOfArn);
      // A star at the end stands for all the parts that are left.
      if (parts.size() < kPartsOfArn && !value.ends_with('*')) return unfit("ARN, which has six parts");
      while (parts.size() < kPartsOfArn) parts.push_back(*Pattern::read("*", {}));
      arns_.push_back(std::move(parts));
      return {};
    }
    case Kind::kNumber: {
      auto number = Decimal::read(value);
      if (!number) return unfit("number");
      numbers_.push_back(std::move(*number));
      return {};
    }
    case Kind::kDate: {
      const auto date = date_in(value);
      if (!date) return unfit("date");
      dates_.push_back(*date);
      return {};
    }
    case Kind::kBinary: {
      auto bytes = decode_base64(value);
      if (!bytes) return unfit("base64");
      bytes_.push_back(std::move(*bytes));
      return {};
    }
    case Kind::kAddress: {
      Network network;
      if (!read_network(value, network)) return unfit("range of addresses");
      networks_.push_back(network);
      return {};
    }
    case Kind::kBool:
    case Kind::kNull: {
      const auto flag = flag_in(value);
      if (!flag) return unfit("true or false");
      flags_.push_back(*flag);
      return {};
    }
  }
  PARTITA_CHECK(false);
}

// An address, with the bits that count behind a slash or without.
bool PolicyCondition::read_network(std::string_view text, Network& network) {
  constexpr unsigned kBits = 128;
  const size_t slash = std::min(text.find('/'), text.size());
  const std::string address(text.substr(0, slash));
  unsigned before = 0;
  if (in_addr four{}; inet_pton(AF_INET, address.c_str(), &four) == 1) {
    before = kMapped.size() * 8;
    std::ranges::copy(kMapped, network.bytes.begin());
    std::copy_n(reinterpret_cast<const uint8_t*>(&four), sizeof(four), network.bytes.begin() + kMapped.size());
  } else if (inet_pton(AF_INET6, address.c_str(), network.bytes.data()) != 1) {
    return false;
  }
  network.bits = kBits;
  if (slash == text.size()) return true;
  const std::string_view digits = text.substr(slash + 1);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return false;
  if (bits > kBits - before) return false;
  network.bits = before + bits;
  return true;
}

bool PolicyCondition::is_in_network(std::string_view value) const {
  Network address;
  if (value.contains('/') || !read_network(value, address)) return false;
  const bool four = std::ranges::equal(std::span(address.bytes).first(kMapped.size()), kMapped);
  return std::ranges::any_of(networks_, [&](const Network& network) {
    if (four && network.bits < kMapped.size() * 8) return false;  // of version 6, as ::/0
    const unsigned whole = network.bits / 8;
    if (!std::equal(network.bytes.begin(), network.bytes.begin() + whole, address.bytes.begin())) return false;
    const unsigned rest = network.bits % 8;
    return rest == 0 || ((network.bytes[whole] ^ address.bytes[whole]) >> (8 - rest)) == 0;
  });
}

bool PolicyCondition::is_arn(std::string_view value, ConditionContext& condition_context) const {
  std::array<std::string_view, kPartsOfArn> parts;
  for (size_t i = 0; i + 1 < kPartsOfArn; ++i) {
    const size_t colon = value.find(':');
    if (colon == std::string_view::npos) return false;
    parts[i] = value.substr(0, colon);
    value.remove_prefix(colon + 1);
  }
  parts.back() = value;
  return std::ranges::any_of(arns_, [&](const std::vector<Pattern>& arn) {
    if (arn.size() != kPartsOfArn) return false;
    for (size_t i = 0; i < kPartsOfArn; ++i) {
      if (!arn[i].matches(parts[i], condition_context)) return false;
    }
    return true;
  });
}

template <class Number>
bool PolicyCondition::compares(const Number& value, const std::vector<Number>& with) const {
  return std::ranges::any_of(with, [&](const Number& one) {
    switch (order_) {
      case Order::kEqual:
        return value == one;
      case Order::kLess:
        return value < one;
      case Order::kLessEqual:
        return value <= one;
      case Order::kGreater:
        return value > one;
      case Order::kGreaterEqual:
        return value >= one;
    }
    PARTITA_CHECK(false);
  });
}

// Before it is negated.
bool PolicyCondition::is_one_of(std::string_view value, ConditionContext& condition_context) const {
  if (!condition_context.effort().spend(1 + compared() + value.size() / 8)) return false;
  switch (kind_) {
    case Kind::kText:
      return std::ranges::binary_search(plain_, value) ||
             std::ranges::any_of(patterns_, [&](const Pattern& one) { return one.matches(value, condition_context); });
    case Kind::kArn:
      return is_arn(value, condition_context);
    case Kind::kNumber: {
      const auto number = Decimal::read(value);
      return number && compares(*number, numbers_);
    }
    case Kind::kDate: {
      const auto date = date_in(value);
      return date && compares(*date, dates_);
    }
    case Kind::kBool: {
      const auto flag = flag_in(value);
      return flag && std::ranges::find(flags_, *flag) != flags_.end();
    }
    case Kind::kBinary: {
      const auto bytes = decode_base64(value);
      return bytes && std::ranges::find(bytes_, *bytes) != bytes_.end();
    }
    case Kind::kAddress:
      return is_in_network(value);
    case Kind::kNull:
      break;
  }
  PARTITA_CHECK(false);  // holds() has answered it
}

// How many values are compared one by one; patterns reckon for themselves.
size_t PolicyCondition::compared() const {
  return numbers_.size() + dates_.size() + bytes_.size() + networks_.size() + flags_.size();
}

bool PolicyCondition::has_all_variables(ConditionContext& condition_context) const {
  const auto whole = [&](const Pattern& one) { return one.is_whole(condition_context); };
  return std::ranges::all_of(patterns_, whole) &&
         std::ranges::all_of(arns_, [&](const auto& parts) { return std::ranges::all_of(parts, whole); });
}

bool PolicyCondition::holds_when_absent() const {
  if (kind_ == Kind::kNull) return std::ranges::find(flags_, true) != flags_.end();
  return if_exists_ || over_ == Over::kAllValues || (over_ == Over::kOne && negated_);
}

bool PolicyCondition::holds(ConditionContext& condition_context, bool allows) const {
  if (condition_context.is_of_name() && is_of_one_access(key_.key)) return allows;
  const auto values = condition_context.values(key_);
  if (!values || values->empty()) return holds_when_absent();
  if (kind_ == Kind::kNull) return std::ranges::find(flags_, false) != flags_.end();
  const bool unlike = negated_ && (!allows || has_all_variables(condition_context));
  const auto fits = [&](std::string_view value) { return is_one_of(value, condition_context) ? !negated_ : unlike; };
  switch (over_) {
    case Over::kAllValues:
      return std::ranges::all_of(*values, fits);
    case Over::kAnyValue:
      return std::ranges::any_of(*values, fits);
    case Over::kOne:
      // Of a key with several values: one of them is to be equal, or none of them.
      return negated_ ? std::ranges::all_of(*values, fits) : std::ranges::any_of(*values, fits);
  }
  PARTITA_CHECK(false);
}

}  // namespace partita::auth
