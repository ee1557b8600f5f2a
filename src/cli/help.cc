#include "cli/help.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cli/options.h"
#include "cli/verbs.h"
#include "engines/stores.h"

namespace partita::cli {

namespace {

constexpr size_t kWidth = 80;

// What `partita help` puts under one title: verbs by their first word, options of `serve` by their name.
struct Group {
  std::string_view title;
  std::vector<std::string_view> names;
};

const std::vector<Group>& verb_groups() {
  static const std::vector<Group> groups = {
      {"Run a server", {"serve", "status", "heat", "mcp"}},
      {"Carry changes elsewhere", {"sink"}},
      {"Protect and move data", {"backup", "restore", "verify", "salvage", "copy"}},
      {"Users and policies", {"user", "group", "role", "policy"}},
      {"Tests", {"snapshot", "namespace", "clock"}},
      {"This program", {"version", "help"}},
  };
  return groups;
}

const std::vector<Group>& serve_groups() {
  static const std::vector<Group> groups = {
      {"Address and TLS",
       {"--listen", "--insecure", "--tls-cert", "--tls-key", "--dax", "--dax-tls", "--dax-advertise", "--dax-cache",
        "--allow-origin", "--no-console"}},
      {"Data", {"--data", "--in-memory", "--store", "--scrub", "--scrub-rate"}},
      {"Authentication and authorisation",
       {"--credentials", "--users", "--identities", "--warn-only", "--region", "--metrics-token", "--admin-socket",
        "--sink-hosts"}},
      {"Limits",
       {"--threads", "--max-connections", "--idle-timeout", "--request-timeout", "--request-rate", "--capacity",
        "--capacity-of", "--memory-budget", "--vector-memory"}},
      {"Logs, audit, traces, alarms",
       {"--log-level", "--log-format", "--slow-request", "--audit-log", "--audit-data", "--trace-to", "--trace-one-in",
        "--alarm-hook"}},
      {"Kinesis streaming", {"--kinesis-endpoint", "--kinesis-credentials"}},
      {"Development and tests", {"--seed", "--namespaces", "--max-namespaces", "--root-400", "--clock"}},
  };
  return groups;
}

struct Example {
  std::string_view verb;
  std::string_view line;
};

constexpr std::array kExamples = {
    Example{"serve", "partita serve"},
    Example{"serve", "partita serve --in-memory --listen localhost:0"},
    Example{"serve", "partita serve --listen 0.0.0.0:8443 --users --tls-cert c.pem --tls-key k.pem"},
    Example{"status", "partita status ./partita-data"},
    Example{"heat", "partita heat Votes ./partita-data"},
    Example{"backup", "partita backup ./partita-data /backups --keep 14"},
    Example{"restore", "partita restore /backups ./new-data"},
    Example{"verify", "partita verify /backups"},
    Example{"salvage", "partita salvage --data ./partita-data --to ./saved-data"},
    Example{"copy", "partita copy ./partita-data postgresql://db1/partita"},
    Example{"user create", "partita user create alice && partita user key create alice"},
    Example{"policy put", "partita policy put user alice own-items policy.json"},
    Example{"snapshot create", "partita snapshot create clean"},
    Example{"snapshot rollback", "partita snapshot rollback clean"},
    Example{"clock advance", "partita clock advance 31d"},
    Example{"namespace drop", "partita namespace drop worker1"},
    Example{"mcp", "partita mcp --data ./partita-data"},
    Example{"mcp", "partita mcp --endpoint-url http://localhost:8000 --write"},
};

// Appends `words` behind what the line holds, `column` characters, and breaks lines before kWidth; lines that follow
// begin at `indent`.
void add_wrapped(std::string& text, std::string_view words, size_t column, size_t indent) {
  bool begins = true;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (word.empty()) continue;
    if (!begins && column + 1 + word.size() > kWidth) {
      text.append("\n").append(indent, ' ');
      column = indent;
      begins = true;
    }
    if (!begins) text.append(" ");
    column += word.size() + (begins ? 0 : 1);
    text.append(word);
    begins = false;
  }
  text.append("\n");
}

void add_paragraph(std::string& text, std::string_view words) { add_wrapped(text, words, 0, 0); }

// "  LEFT   what it is", the right column at `column`, on the next line where LEFT is longer.
void add_entry(std::string& text, std::string_view left, std::string_view help, size_t column) {
  text.append("  ").append(left);
  const size_t end = 2 + left.size();
  if (end + 2 > column) {
    text.append("\n").append(column, ' ');
  } else {
    text.append(column - end, ' ');
  }
  add_wrapped(text, help, column, column);
}

std::string_view first_sentence(std::string_view help) {
  for (size_t at = help.find(". "); at != std::string_view::npos; at = help.find(". ", at + 1)) {
    if (at + 2 < help.size() && help[at + 2] >= 'A' && help[at + 2] <= 'Z') return help.substr(0, at + 1);
  }
  return help;
}

std::string_view first_word(std::string_view name) { return name.substr(0, name.find(' ')); }

bool is_in(const Group& group, std::string_view name) {
  return std::ranges::find(group.names, name) != group.names.end();
}

bool is_in_any(const std::vector<Group>& groups, std::string_view name) {
  return std::ranges::any_of(groups, [&](const Group& group) { return is_in(group, name); });
}

constexpr size_t kVerbColumn = 21;
constexpr size_t kFlagColumn = 30;

void add_verb(std::string& text, const VerbRow& row) {
  add_entry(text, row.name, first_sentence(row.help), kVerbColumn);
}

std::string overview() {
  std::string text = "partita: the DynamoDB API on storage of your own.\n\nUsage: partita VERB [OPTION...]\n";
  for (const Group& group : verb_groups()) {
    text.append("\n").append(group.title).append(":\n");
    for (const VerbRow& row : all_verbs()) {
      if (is_in(group, first_word(row.name))) add_verb(text, row);
    }
  }
  const auto ungrouped = [](const VerbRow& row) { return !is_in_any(verb_groups(), first_word(row.name)); };
  if (std::ranges::any_of(all_verbs(), ungrouped)) text += "\nOther verbs:\n";
  for (const VerbRow& row : all_verbs()) {
    if (ungrouped(row)) add_verb(text, row);
  }
  return text + "\n`partita VERB --help` describes a verb.\n";
}

std::string verbs_behind(std::string_view word) {
  const std::string begin = std::string(word) + ' ';
  std::string text = "Usage: partita " + begin + "... [OPTION...]\n\n";
  for (const VerbRow& row : all_verbs()) {
    if (row.name.starts_with(begin)) add_verb(text, row);
  }
  return text + "\n`partita VERB --help` describes a verb.\n";
}

void add_flag(std::string& text, const Flag& flag) {
  std::string left(flag.name);
  if (!flag.argument.empty()) left.append(" ").append(flag.argument);
  add_entry(text, left, flag.help, kFlagColumn);
}

void add_serve_flags(std::string& text, const VerbRow& row) {
  for (const Group& group : serve_groups()) {
    text.append("\n").append(group.title).append(":\n");
    for (const Flag& flag : row.flags) {
      if (is_in(group, flag.name)) add_flag(text, flag);
    }
  }
  text += "\nOther options:\n";
  for (const Flag& flag : row.flags) {
    if (!is_in_any(serve_groups(), flag.name)) add_flag(text, flag);
  }
  add_entry(text, "--help", "Show this help.", kFlagColumn);
}

void add_stores(std::string& text, const VerbRow& row) {
  constexpr std::array<std::string_view, 4> kOfStores{kServeVerb, "backup", "verify", "copy"};
  if (std::ranges::find(kOfStores, row.name) == kOfStores.end()) return;
  const auto is_listed = [&](const EngineRow& engine) {
    if (row.name == kServeVerb) return true;
    return row.name == "backup" ? engine.backups != nullptr : engine.format != 0;
  };
  text += "\nStores:\n";
  for (const EngineRow& engine : engines()) {
    if (is_listed(engine)) add_entry(text, engine.url, engine.help, kFlagColumn);
  }
}

void add_examples(std::string& text, std::string_view verb) {
  const auto ours = [&](const Example& example) { return example.verb == verb; };
  const auto count = std::ranges::count_if(kExamples, ours);
  if (count == 0) return;
  text += count == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const Example& example : kExamples) {
    if (ours(example)) text.append("  ").append(example.line).append("\n");
  }
}

std::string verb_help(const VerbRow& row) {
  std::string usage = "Usage: partita " + std::string(row.name);
  if (!row.arguments.empty()) usage.append(" ").append(row.arguments);
  if (is_account_verb(row.name)) usage.append(" [OPTION...]");
  std::string text;
  add_wrapped(text, usage, 0, 4);
  text += "\n";
  add_paragraph(text, row.help);
  if (row.name == kServeVerb) {
    add_serve_flags(text, row);
  } else if (!row.flags.empty()) {
    text += "\nOptions:\n";
    for (const Flag& flag : row.flags) add_flag(text, flag);
  }
  if (is_first_word(row.name)) text += "\nSee also:\n";
  for (const VerbRow& one : all_verbs()) {
    if (one.name.starts_with(std::string(row.name) + ' ')) add_verb(text, one);
  }
  add_stores(text, row);
  add_examples(text, row.name);
  return text;
}

}  // namespace

std::string help_text(std::string_view topic) {
  if (const VerbRow* const row = find_verb(topic)) return verb_help(*row);
  return topic.empty() ? overview() : verbs_behind(topic);
}

}  // namespace partita::cli
