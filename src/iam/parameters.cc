#include "iam/parameters.h"

#include <algorithm>
#include <charconv>

#include "auth/policy.h"
#include "auth/text_util.h"
#include "base/log.h"
#include "model/fault.h"

namespace partita::iam {

namespace {

using model::Fault;
using model::refuse;

constexpr size_t kMostTags = 50;
constexpr std::string_view kNotNull = "Member must not be null";

std::string failed(std::string_view value, std::string_view parameter, std::string_view constraint) {
  return "1 validation error detected: Value " + std::string(value) + " at '" + word_of(parameter) +
         "' failed to satisfy constraint: " + std::string(constraint);
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool is_name(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("+=,.@_-").find(c) != std::string_view::npos;
  });
}

// How many parameters there are of the list of that name.
size_t given_of(const Request& request, std::string_view name) {
  const std::string begin = std::string(name) + ".";
  return static_cast<size_t>(
      std::ranges::count_if(request.form.parameters(), [&](const auto& one) { return one.first.starts_with(begin); }));
}

bool begins_a_path(std::string_view path) {
  constexpr size_t kMostPath = 512;
  const bool printable = std::ranges::all_of(path, [](char c) { return c > ' ' && c < 0x7f; });
  return path.starts_with('/') && printable && path.size() <= kMostPath;
}

}  // namespace

std::string word_of(std::string_view parameter) {
  std::string word(parameter);
  if (!word.empty()) word.front() = auth::lower(word.front());
  return word;
}

Error invalid(std::string sentence) { return refuse(Fault::kIamInvalid, {std::move(sentence)}); }

Result<std::string> needed(const Request& request, std::string_view parameter) {
  const auto found = request.form.find(parameter);
  if (!found) return invalid(failed("null", parameter, kNotNull));
  if (found->empty()) {
    return invalid(failed("''", parameter, "Member must have length greater than or equal to 1"));
  }
  return std::string(*found);
}

std::string text_or(const Request& request, std::string_view parameter, std::string_view absent) {
  return std::string(request.form.find(parameter).value_or(absent));
}

Result<std::string> name_in(const Request& request, std::string_view parameter, size_t most) {
  PARTITA_TRY(std::string name, needed(request, parameter));
  if (name.size() > most) {
    return invalid(
        failed(quoted(name), parameter, "Member must have length less than or equal to " + std::to_string(most)));
  }
  if (!is_name(name)) {
    return invalid("The specified value for " + word_of(parameter) +
                   " is invalid. It must contain only alphanumeric characters and/or the following: +=,.@_-");
  }
  return name;
}

Result<std::string> path_in(const Request& request) {
  std::string path = text_or(request, "Path", "/");
  if (!begins_a_path(path) || !path.ends_with('/')) {
    return invalid(
        "The specified value for path is invalid. It must begin and end with / and contain only alphanumeric "
        "characters and/or / characters.");
  }
  return path;
}

Result<std::string> path_prefix_in(const Request& request) {
  std::string prefix = text_or(request, "PathPrefix", "/");
  if (begins_a_path(prefix)) return prefix;
  return invalid(failed(quoted(prefix), "PathPrefix",
                        "Member must satisfy regular expression pattern: \\u002F[\\u0021-\\u007F]*"));
}

Result<int64_t> number_in(const Request& request, std::string_view parameter, int64_t least, int64_t most,
                          int64_t absent) {
  const auto text = request.form.find(parameter);
  if (!text) return absent;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) {
    return invalid(failed(quoted(*text), parameter, "Member must be a number"));
  }
  if (number < least) {
    return invalid(
        failed(quoted(*text), parameter, "Member must have value greater than or equal to " + std::to_string(least)));
  }
  if (number > most) {
    return invalid(
        failed(quoted(*text), parameter, "Member must have value less than or equal to " + std::to_string(most)));
  }
  return number;
}

Result<bool> flag_in(const Request& request, std::string_view parameter) {
  const std::string text = text_or(request, parameter, "false");
  if (text == "true" || text == "false") return text == "true";
  return invalid(failed(quoted(text), parameter, "Member must be true or false"));
}

bool same_name(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, auth::lower, auth::lower);
}

Result<std::map<std::string, std::string>> tags_in(const Request& request, TagsOf of) {
  std::map<std::string, std::string> tags;
  size_t parameters = 0;
  for (size_t i = 1;; ++i) {
    const std::string prefix = "Tags.member." + std::to_string(i);
    const auto key = request.form.find(prefix + ".Key");
    if (!key) break;
    const auto value = request.form.find(prefix + ".Value");
    parameters += value ? 2 : 1;
    if (key->empty() || key->size() > 128)
      return invalid(failed(quoted(*key), prefix + ".key", "Member must be 1 to 128 characters long"));
    const auto is_same = [&](const auto& tag) {
      return of == TagsOf::kPolicies ? tag.first == *key : same_name(tag.first, *key);
    };
    if (std::ranges::any_of(tags, is_same)) {
      return invalid("Duplicate tag keys found. Please note that Tag keys are case insensitive.");
    }
    tags.emplace(*key, value.value_or(""));
  }
  if (given_of(request, "Tags") != parameters)
    return invalid("Tags are to be numbered from 1, each with a Key and a Value.");
  if (tags.size() > kMostTags) return refuse(Fault::kIamLimit, {"TagsPerResource", std::to_string(kMostTags)});
  return tags;
}

Result<std::vector<std::string>> list_in(const Request& request, std::string_view name) {
  std::vector<std::string> all;
  while (const auto one = request.form.find(std::string(name) + ".member." + std::to_string(all.size() + 1))) {
    all.emplace_back(*one);
  }
  if (given_of(request, name) != all.size()) return invalid(std::string(name) + " are to be numbered from 1.");
  if (all.empty()) return invalid(failed("null", name, kNotNull));
  return all;
}

size_t counted(std::string_view document) {
  const auto counts = [](char c) {
    const bool goes_on = (static_cast<unsigned char>(c) & 0xc0) == 0x80;  // a character that has begun
    return c != ' ' && c != '\n' && c != '\t' && c != '\r' && !goes_on;
  };
  return static_cast<size_t>(std::ranges::count_if(document, counts));
}

Result<std::string> document_in(const Request& request, std::string_view parameter, auth::Policy::Use use,
                                std::string_view quota, size_t most) {
  PARTITA_TRY(std::string document, needed(request, parameter));
  if (counted(document) > most) return refuse(Fault::kIamLimit, {std::string(quota), std::to_string(most)});
  const auto policy = auth::Policy::parse(document, use);
  if (!policy.ok()) return refuse(Fault::kIamMalformedPolicy, {std::string(policy.error().sentence())});
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  if (!policy->warnings().empty() && throttle.pass(unsaid)) {
    log(LogLevel::kWarn, {"A policy given to ", request.call.name, ": ", policy->warnings().front()});
  }
  return document;
}

Result<Paging> Paging::of(const Request& request) {
  constexpr int64_t kMost = 1'000;
  Paging paging;
  PARTITA_TRY(paging.left_, number_in(request, "MaxItems", 1, kMost, kMost));
  paging.after_ = text_or(request, "Marker", "");
  return paging;
}

bool Paging::shows(std::string_view name) {
  if (!after_.empty() && name <= after_) return false;
  more_ = left_ == 0;
  if (more_) return false;
  --left_;
  last_ = name;
  return true;
}

void Paging::write(Request& request) const {
  request.out.boolean("IsTruncated", more_);
  if (more_) request.out.text("Marker", last_);
}

}  // namespace partita::iam
