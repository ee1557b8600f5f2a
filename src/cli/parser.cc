#include "cli/parser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/processors.h"
#include "base/suggestion.h"
#include "cli/options.h"
#include "cli/verbs.h"

namespace partita::cli {

namespace {

// The verb that the words begin with, and how many words it is.
const VerbRow* verb_before(std::span<const char* const> words, size_t& count) {
  constexpr size_t kMostWords = 3;
  for (count = std::min(kMostWords, words.size()); count > 0; --count) {
    std::string name;
    for (const char* const word : words.first(count)) name.append(name.empty() ? "" : " ").append(word);
    if (const VerbRow* const row = find_verb(name)) return row;
  }
  return nullptr;
}

bool asks_for_help(std::string_view word) { return word == "--help" || word == "-h"; }

// "user" is known, and "mend" behind it is not, or is missing.
Error unknown_second_word(const std::string& first, std::string_view second) {
  std::vector<std::string_view> seconds;
  for (const VerbRow& row : all_verbs()) {
    if (row.name.starts_with(first + ' ')) seconds.push_back(row.name.substr(first.size() + 1));
  }
  const std::string hint = second.empty() ? std::string() : suggestion(second, seconds);
  return misuse("`partita " + first + "` " +
                (second.empty() ? std::string("needs a second word.") : "has no verb " + quoted(second) + ".") + hint +
                " `partita help " + first + "` lists its verbs.");
}

// What DynamoDB Local and other servers call an option.
std::string_view our_name_of(std::string_view flag) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"-p", "--listen"},    {"-port", "--listen"},        {"--port", "--listen"},     {"--host", "--listen"},
      {"-dbPath", "--data"}, {"-inMemory", "--in-memory"}, {"-cors", "--allow-origin"}};
  const auto found = std::ranges::find(kNames, flag, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kNames) ? flag : found->second;
}

Error unknown_flag(const VerbRow& verb, std::string_view word) {
  std::vector<std::string_view> names;
  for (const Flag& flag : verb.flags) names.push_back(flag.name);
  const std::string name(verb.name);
  const bool dashed = word.starts_with('-');
  return misuse("`partita " + name + (dashed ? "` has no option " : "` takes no argument ") + quoted(word) + "." +
                suggestion(our_name_of(word), names) + " `partita help " + name + "` lists the options.");
}

// Reads the flag at `words[at]`, and its value, which may follow an equal sign; moves `at` behind them.
Result<void> read_flag(const VerbRow& verb, std::span<const char* const> words, size_t& at, Draft& draft) {
  std::string_view word = words[at++];
  std::optional<std::string_view> value;
  if (const size_t equals = word.find('='); word.starts_with("--") && equals != std::string_view::npos) {
    value = word.substr(equals + 1);
    word = word.substr(0, equals);
  }
  const auto flag = std::ranges::find(verb.flags, word, &Flag::name);
  const std::string name(verb.name);
  const bool stores = std::ranges::find(verb.flags, "--store", &Flag::name) != verb.flags.end();
  if (stores && names_store(word)) return misuse("`partita " + name + "` takes a store's URL as --store URL.");
  if (flag == verb.flags.end()) return unknown_flag(verb, word);
  if (flag->argument.empty()) {
    if (value) return misuse(std::string(word) + " takes no value, and got " + quoted(*value) + ".");
  } else {
    if (!value && at < words.size()) value = words[at++];
    if (value.value_or("").empty()) {
      return misuse(std::string(word) + " needs a value: " + std::string(word) + " " + std::string(flag->argument) +
                    ".");
    }
  }
  return flag->set(draft, *flag, value.value_or(""));
}

}  // namespace

Result<CommandLine> read_command_line(std::span<const char* const> words) {
  Draft draft;
  const auto help = [&draft](std::string_view topic) {
    draft.line.verb = find_verb(kHelpVerb);
    draft.line.topic = topic;
    return std::move(draft.line);
  };
  if (words.empty()) return misuse("No verb was given. `partita help` lists the verbs.");
  if (asks_for_help(words[0])) return help("");
  if (std::string_view(words[0]) == "--version") {
    draft.line.verb = find_verb("version");
    return std::move(draft.line);
  }
  size_t at = 0;
  const VerbRow* const row = verb_before(words, at);
  if (row == nullptr && is_first_word(words[0])) {
    if (words.size() > 1 && asks_for_help(words[1])) return help(words[0]);
    return unknown_second_word(words[0], words.size() > 1 ? words[1] : "");
  }
  if (row == nullptr) return unknown_verb(words[0]);
  draft.line.verb = row;
  draft.line.serve.http.threads = usable_processors();
  for (size_t taken = 0; at < words.size();) {
    const std::string_view word = words[at];
    if (asks_for_help(word)) return help(row->name);
    if (row->take != nullptr && word.empty()) {
      const std::string name(row->name);
      return misuse("Word " + std::to_string(taken + 1) + " behind `partita " + name + "` is empty: it takes " +
                    std::string(row->arguments) + ".");
    }
    if (row->take != nullptr && !word.starts_with('-')) {
      ++at;
      ++taken;
      PARTITA_TRY_VOID(row->take(draft, word));
    } else {
      PARTITA_TRY_VOID(read_flag(*row, words, at, draft));
    }
  }
  PARTITA_TRY_VOID(row->finish(draft));
  return std::move(draft.line);
}

}  // namespace partita::cli
