#include "cli/command_line.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "base/processors.h"
#include "cli/account_verbs.h"
#include "cli/options.h"
#include "cli/suggestion.h"
#include "cli/verbs.h"
#include "engines/stores.h"

namespace partita::cli {

namespace {

template <std::string Simulated::* kMember>
Result<void> set_asked(Draft& draft, std::string_view text) {
  draft.line.simulated.*kMember = text;
  return {};
}

Result<void> add_context(Draft& draft, std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return misuse("--context takes KEY=VALUE, such as dynamodb:LeadingKeys=alice, not " + quoted(text) + ".");
  }
  draft.line.simulated.context.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  return {};
}

constexpr std::array kSalvageFlags = {
    Flag{"--data", "DIR", "The directory of the damaged store. It is left unchanged.", set_data},
    Flag{"--to", "NEWDIR", "The directory for the saved data: new or empty.", set_text<&CommandLine::to>},
};

constexpr std::array kAccountFlags = {
    Flag{"--data", "DIR",
         "The running server to ask: its data directory (default ./partita-data) or its administration socket.",
         set_data},
};

constexpr std::array kSimulateFlags = {
    Flag{"--identities", "FILE",
         "Evaluate the users, groups and policies of this file, as `serve --identities` takes it. Without it, a "
         "running server evaluates its own.",
         set_text<&CommandLine::identities>},
    kAccountFlags[0],
    Flag{"--user", "NAME", "The user who makes the request.", set_asked<&Simulated::user>},
    Flag{"--role", "NAME", "The role whose session makes the request, instead of a user.", set_asked<&Simulated::role>},
    Flag{"--action", "ACTION", "The requested action, such as dynamodb:GetItem.", set_asked<&Simulated::action>},
    Flag{"--resource", "ARN", "The table, index or stream that the request names.", set_asked<&Simulated::resource>},
    Flag{"--context", "KEY=VALUE",
         "The request's value of a condition key, such as dynamodb:LeadingKeys=alice. Repeat the option for more "
         "keys, or for more values of one key.",
         add_context},
    Flag{"--resource-policy", "FILE", "Use this resource policy instead of the stored one.",
         set_asked<&Simulated::resource_policy>},
};

constexpr std::array kStatusFlags = {
    Flag{"--json", "", "Print one JSON object, for programs.", set_on<&CommandLine::json>},
};

constexpr std::array kKeyFlags = {
    kAccountFlags[0],
    Flag{"--into", "FILE",
         "Write the key into FILE, such as ~/.aws/credentials, as the key of profile NAME, instead of printing it. An "
         "older key of that profile is replaced.",
         set_text<&CommandLine::to>},
};

constexpr std::array kMcpFlags = {
    Flag{"--write", "", "Also offer tools that change items and tables. Without it, all tools are read-only.",
         set_on<&CommandLine::writes>},
    Flag{"--endpoint-url", "URL",
         "Use the running server at this address, such as http://localhost:8000. Requests are signed with "
         "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION of the environment.",
         set_text<&CommandLine::endpoint>},
    Flag{"--namespace", "NAME", "With --endpoint-url: the namespace to use on that server.",
         set_text<&CommandLine::space>},
    Flag{"--data", "DIR", "The data directory (default ./partita-data). No server may be using it.", set_data},
    Flag{"--in-memory", "", "Start empty, and keep nothing.", set_in_memory},
    Flag{"--store", "URL", "Use this store instead of a directory; see `partita help serve`.", set_store},
    Flag{"--seed", "DIR", "Create the tables and items described in this directory, as `serve --seed` does.",
         set_text<&CommandLine::seed>},
};

Result<void> set_keep(Draft& draft, std::string_view text) {
  PARTITA_TRY(draft.line.keep, read_number("--keep", text, 1, 1'000'000));
  return {};
}

Result<void> set_backup_id(Draft& draft, std::string_view text) {
  PARTITA_TRY(const uint64_t id, read_number("--backup", text, 1, UINT32_MAX));
  draft.line.backup_id = static_cast<uint32_t>(id);
  return {};
}

constexpr std::array kBackupFlags = {
    Flag{"--keep", "N", "Afterwards delete all but the newest N backups (default: keep all).", set_keep},
    Flag{"--mend", "", "First check the files that earlier backups share, and copy damaged ones again from the store.",
         set_on<&CommandLine::mends>},
};

constexpr std::array kPruneFlags = {
    Flag{"--keep", "N", "The number of backups to keep.", set_keep},
};

constexpr std::array kRestoreFlags = {
    Flag{"--backup", "ID", "The backup's number in `partita backup list` (default: the newest).", set_backup_id},
};

// A store's URL, or a directory.
Result<std::string> place_named(std::string_view word) {
  if (check_store(word).ok()) return std::string(word);
  if (word.empty() || names_store(word)) PARTITA_TRY_VOID(check_url(word));
  return "rocksdb:" + std::string(word);
}

// FROM, then TO.
Result<void> take_copied(Draft& draft, std::string_view word) {
  PARTITA_TRY(std::string url, place_named(word));
  if (engine_of(url).format == 0) return misuse("An in-memory store cannot be copied: it ends with its server.");
  std::string& place = draft.line.from.empty() ? draft.line.from : draft.line.to;
  if (!place.empty()) return misuse("`partita copy` takes two stores, FROM and TO, and no third.");
  place = std::move(url);
  return {};
}

// A word for each of these, in their order; `what` says what is wanted.
Result<void> take_next(std::string_view word, const char* what, std::initializer_list<std::string*> places) {
  for (std::string* place : places) {
    if (!place->empty()) continue;
    if (word.empty()) break;
    *place = word;
    return {};
  }
  return misuse(what);
}

// A directory of backups, or for what one becomes; `what` says what to do instead for a store that is in none.
Result<void> take_directory(std::string_view word, std::string_view what, const char* needs,
                            std::initializer_list<std::string*> places) {
  if (word.empty()) return take_next(word, needs, places);
  PARTITA_TRY(const std::string url, place_named(word));
  if (!engine_of(url).is_directory) {
    return misuse(place_of_store(url) + " is no directory. " +
                  std::string(what.empty() ? engine_of(url).backed_up_by : what));
  }
  return take_next(place_of_store(url), needs, places);
}

constexpr const char* kBackupNeeds =
    "`partita backup` takes a STORE and a directory of BACKUPS: `partita backup ./partita-data /backups`.";
constexpr const char* kListNeeds = "`partita backup list` takes one directory of BACKUPS.";
constexpr const char* kPruneNeeds = "`partita backup prune` takes one directory of BACKUPS, and --keep N.";
constexpr const char* kRestoreNeeds =
    "`partita restore` takes a directory of BACKUPS and a new or empty DIR: `partita restore /backups ./new-data`.";
constexpr const char* kVerifyNeeds = "`partita verify` takes one STORE or one directory of BACKUPS.";

Result<void> take_backup(Draft& draft, std::string_view word) {
  if (!draft.line.from.empty()) return take_directory(word, {}, kBackupNeeds, {&draft.line.backups});
  PARTITA_TRY(draft.line.from, place_named(word));
  return {};
}

Result<void> finish_backup(Draft& draft) { return draft.line.backups.empty() ? misuse(kBackupNeeds) : Result<void>(); }

Result<void> take_list(Draft& draft, std::string_view word) {
  return take_directory(word, {}, kListNeeds, {&draft.line.backups});
}

Result<void> finish_list(Draft& draft) { return draft.line.backups.empty() ? misuse(kListNeeds) : Result<void>(); }

Result<void> take_prune(Draft& draft, std::string_view word) {
  return take_directory(word, {}, kPruneNeeds, {&draft.line.backups});
}

Result<void> finish_prune(Draft& draft) {
  return draft.line.backups.empty() || draft.line.keep == 0 ? misuse(kPruneNeeds) : Result<void>();
}

Result<void> take_restore(Draft& draft, std::string_view word) {
  const std::string_view instead =
      draft.line.backups.empty() ? "" : "Restore into a directory, then use `partita copy DIR URL`.";
  return take_directory(word, instead, kRestoreNeeds, {&draft.line.backups, &draft.line.data});
}

Result<void> finish_restore(Draft& draft) { return draft.line.data.empty() ? misuse(kRestoreNeeds) : Result<void>(); }

Result<void> take_verified(Draft& draft, std::string_view word) {
  if (!draft.line.from.empty()) return misuse(kVerifyNeeds);
  PARTITA_TRY(draft.line.from, place_named(word));
  const std::string place = place_of_store(draft.line.from);
  if (engine_of(draft.line.from).is_directory && is_backup_directory(place)) draft.line.backups = place;
  return {};
}

Result<void> finish_verify(Draft& draft) {
  if (draft.line.from.empty()) return misuse(kVerifyNeeds);
  if (draft.line.backups.empty() && draft.line.backup_id != 0) {
    return misuse("--backup needs a directory of backups, and " + place_of_store(draft.line.from) + " is not one.");
  }
  return {};
}

Result<void> finish_copy(Draft& draft) {
  return draft.line.to.empty() ? misuse("`partita copy` takes two stores: FROM and TO.") : Result<void>();
}

Result<void> finish_salvage(Draft& draft) {
  draft.line.data = draft.data.value_or("");
  if (draft.line.data.empty() || draft.line.to.empty()) {
    return misuse("`partita salvage` needs --data DIR and --to NEWDIR.");
  }
  return {};
}

// Of a server: the directory of its data, or its socket; who gets a store's URL says what to name instead.
Result<std::string> server_named(std::string_view word) {
  if (!names_store(word) || check_store(word).ok()) return std::string(word);
  return misuse("Name a server by its data directory or its administration socket, not by " + quoted(word) + ".");
}

Result<void> finish_simulate(Draft& draft) {
  const Simulated& asked = draft.line.simulated;
  const bool who = asked.user.empty() != asked.role.empty();
  if (!who || asked.action.empty() || asked.resource.empty()) {
    return misuse("`partita policy simulate` needs --user or --role, --action and --resource.");
  }
  if (!draft.line.identities.empty() && draft.data) {
    return misuse("--identities evaluates a file, and --data asks a server: give one of them.");
  }
  if (asked.action.find(':') == std::string::npos) {
    return misuse("--action takes SERVICE:ACTION, such as dynamodb:" + asked.action + ", not '" + asked.action + "'.");
  }
  if (!draft.line.identities.empty()) return {};
  PARTITA_TRY(draft.line.data, server_named(draft.data.value_or(std::string(kUsualData))));
  return {};
}

Result<void> finish_mcp(Draft& draft) {
  if (!draft.line.endpoint.empty()) {
    const bool own = draft.data || draft.store || draft.in_memory || !draft.line.seed.empty();
    if (own)
      return misuse(
          "--endpoint-url uses the data of a running server: leave out --data, --in-memory, --store and --seed.");
    return {};
  }
  if (!draft.line.space.empty()) return misuse("--namespace needs --endpoint-url.");
  PARTITA_TRY(draft.line.store, store_of(draft));
  return {};
}

Result<void> take_served(Draft& draft, std::string_view word) {
  if (!draft.line.data.empty()) return misuse("Name one server: its data directory or its administration socket.");
  PARTITA_TRY(draft.line.data, server_named(word));
  return {};
}

Result<void> finish_status(Draft& draft) {
  if (draft.line.data.empty()) draft.line.data = kUsualData;
  return {};
}

Result<void> take_word(Draft& draft, std::string_view word) {
  draft.line.words.emplace_back(word);
  return {};
}

Result<void> finish_account(Draft& draft) {
  PARTITA_TRY(draft.line.data, server_named(draft.data.value_or(std::string(kUsualData))));
  return check_account_verb(draft.line);
}

// NAME, then where the server is.
Result<void> take_operated(Draft& draft, std::string_view word) {
  if (!draft.line.data.empty())
    return misuse("Too many words: give one name, then one data directory or administration socket.");
  if (!draft.line.subject.empty()) {
    PARTITA_TRY(draft.line.data, server_named(word));
  } else {
    draft.line.subject = word;
  }
  return {};
}

Result<void> finish_operated(Draft& draft, std::string_view operation) {
  draft.line.operation = operation;
  if (draft.line.subject.empty()) {
    return misuse(operation == "MoveClock"         ? "`partita clock advance` needs an OFFSET, such as 90m or 31d."
                  : operation == "DeleteNamespace" ? "Give the NAME of the namespace."
                                                   : "Give the NAME of the snapshot.");
  }
  return finish_status(draft);
}

Result<void> finish_listed(Draft& draft, std::string_view operation) {
  draft.line.operation = operation;
  return finish_status(draft);
}

// OFFSET, then where the server is.
Result<void> finish_advance(Draft& draft) {
  PARTITA_TRY_VOID(finish_operated(draft, "MoveClock"));
  PARTITA_TRY(const int64_t seconds, read_offset("`partita clock advance`", draft.line.subject));
  draft.line.clock_ms = seconds * 1'000;
  return {};
}

constexpr std::array kSnapshotFlags = {
    Flag{"--namespace", "NAME", "Act on this namespace instead of the default one.", set_text<&CommandLine::space>},
};

Result<void> take_topic(Draft& draft, std::string_view word);
Result<void> finish_help(Draft& draft);

// Serve's flags are not known at compile time, since they are another file's.
const std::array kOwnVerbs = {
    VerbRow{
        "serve", Verb::kServe, "[OPTION...]",
        "Serve the DynamoDB API over HTTP or HTTPS. Prints one line when ready; SIGTERM or SIGINT stops it cleanly.",
        serve_flags(), finish_serve},
    VerbRow{"status", Verb::kStatus, "[DIR|SOCKET] [--json]",
            "Show the version, address, store and health of a running server. Name the server by its data directory "
            "(default ./partita-data) or its administration socket. Exit code 1 when no server answers, or when its "
            "store does not.",
            kStatusFlags, finish_status, take_served},
    VerbRow{
        "backup", Verb::kBackup, "STORE BACKUPS [OPTION...]",
        "Back up a store into a directory of backups, copying only new data. A server may be using the store. STORE "
        "is a data directory, or a server's administration socket. Back up PostgreSQL and FoundationDB with their own "
        "tools.",
        kBackupFlags, finish_backup, take_backup},
    VerbRow{
        "backup list", Verb::kListBackups, "BACKUPS", "List the backups in a directory.", {}, finish_list, take_list},
    VerbRow{"backup prune", Verb::kPruneBackups, "BACKUPS --keep N",
            "Delete all but the newest N backups, and backups with missing files.", kPruneFlags, finish_prune,
            take_prune},
    VerbRow{
        "restore", Verb::kRestore, "BACKUPS DIR [OPTION...]",
        "Restore a backup into a new or empty directory. If it is interrupted, run the same command again: it starts "
        "over. No server opens an unfinished restore.",
        kRestoreFlags, finish_restore, take_restore},
    VerbRow{
        "verify", Verb::kVerify, "STORE|BACKUPS [OPTION...]",
        "Check a backup, or a store that no server is using. It checks the checksums of all files, and that indexes, "
        "counts, streams and the catalogue agree with the items. Exit code 1 when something is wrong.",
        kRestoreFlags, finish_verify, take_verified},
    VerbRow{
        "copy",
        Verb::kCopy,
        "FROM TO",
        "Copy a store to another directory or database. No server may be using either. FROM and TO are directories, "
        "or stores as `serve --store` takes them. If it is interrupted, run the same command again to continue. At "
        "the end it reads the copy back and compares it with FROM.",
        {},
        finish_copy,
        take_copied},
    VerbRow{
        "salvage", Verb::kSalvage, "--data DIR --to NEWDIR",
        "Save the readable part of a damaged store into a new store, and list what is lost. Exit code 0 when nothing "
        "is lost, 3 when something is, 1 when nothing could be saved.",
        kSalvageFlags, finish_salvage},
    VerbRow{"policy simulate", Verb::kSimulate, "--user|--role NAME --action ACTION --resource ARN [OPTION...]",
            "Show whether policies allow a request, and if not, why. The policies are those of a running server or of "
            "--identities. "
            "Exit code 0 when the request is allowed, 1 when it is refused, 2 when the question cannot be answered.",
            kSimulateFlags, finish_simulate},
    VerbRow{
        "snapshot create", Verb::kOperate, "NAME [DIR|SOCKET] [--namespace NAME]",
        "Take a snapshot of all tables and items of a running server. Name the server by its data directory (default "
        "./partita-data) or its administration socket.",
        kSnapshotFlags, [](Draft& draft) { return finish_operated(draft, "CreateSnapshot"); }, take_operated},
    VerbRow{"snapshot rollback", Verb::kOperate, "NAME [DIR|SOCKET] [--namespace NAME]",
            "Return all tables and items to the state of a snapshot.", kSnapshotFlags,
            [](Draft& draft) { return finish_operated(draft, "RollbackToSnapshot"); }, take_operated},
    VerbRow{"snapshot list", Verb::kOperate, "[DIR|SOCKET] [--namespace NAME]",
            "List the snapshots of a running server.", kSnapshotFlags,
            [](Draft& draft) { return finish_listed(draft, "ListSnapshots"); }, take_served},
    VerbRow{"snapshot delete", Verb::kOperate, "NAME [DIR|SOCKET] [--namespace NAME]", "Delete a snapshot.",
            kSnapshotFlags, [](Draft& draft) { return finish_operated(draft, "DeleteSnapshot"); }, take_operated},
    VerbRow{"clock show", Verb::kOperate, "[DIR|SOCKET] [--namespace NAME]",
            "Show the time of a server's database, and its offset from the machine's clock.", kSnapshotFlags,
            [](Draft& draft) { return finish_listed(draft, "DescribeClock"); }, take_served},
    VerbRow{"clock advance", Verb::kOperate, "OFFSET [DIR|SOCKET] [--namespace NAME]",
            "Move the clock of a server's database forward, for tests. OFFSET is a number of seconds, or a number "
            "followed by s, m, h or d, such as 90m or 31d.",
            kSnapshotFlags, finish_advance, take_operated},
    VerbRow{"clock reset", Verb::kOperate, "[DIR|SOCKET] [--namespace NAME]",
            "Return the clock of a server's database to the machine's time.", kSnapshotFlags,
            [](Draft& draft) { return finish_listed(draft, "MoveClock"); }, take_served},
    VerbRow{"namespace list",
            Verb::kOperate,
            "[DIR|SOCKET]",
            "List the namespaces that hold data.",
            {},
            [](Draft& draft) { return finish_listed(draft, "ListNamespaces"); },
            take_served},
    VerbRow{"namespace drop",
            Verb::kOperate,
            "NAME [DIR|SOCKET]",
            "Delete a namespace and everything in it.",
            {},
            [](Draft& draft) { return finish_operated(draft, "DeleteNamespace"); },
            take_operated},
    VerbRow{"mcp", Verb::kMcp, "[OPTION...]",
            "Offer a store to AI agents over the Model Context Protocol on stdin and stdout. DynamoDB's operations are "
            "its tools.",
            kMcpFlags, finish_mcp},
    VerbRow{"version", Verb::kVersion, "", "Print the version, the revision and the store formats.", {}},
    VerbRow{
        "help", Verb::kHelp, "[VERB]", "Show how to use partita, or one of its verbs.", {}, finish_help, take_topic},
};

}  // namespace

const std::vector<VerbRow>& all_verbs() {
  static const std::vector<VerbRow> all = [] {
    std::vector<VerbRow> rows(kOwnVerbs.begin(), kOwnVerbs.end());
    const auto place = std::ranges::find(rows, Verb::kSimulate, &VerbRow::verb);
    std::vector<VerbRow> more;
    for (const AccountVerb& verb : account_verbs()) {
      const std::span<const Flag> flags = verb.name == kKeyVerb ? std::span<const Flag>(kKeyFlags) : kAccountFlags;
      more.push_back({verb.name, Verb::kAccount, verb.arguments, verb.help, flags, finish_account, take_word});
    }
    rows.insert(place, more.begin(), more.end());
    return rows;
  }();
  return all;
}

const VerbRow* find_verb(std::string_view name) {
  const auto found = std::ranges::find(all_verbs(), name, &VerbRow::name);
  return found == all_verbs().end() ? nullptr : &*found;
}

bool is_first_word(std::string_view word) {
  const std::string begin = std::string(word) + ' ';
  return std::ranges::any_of(all_verbs(), [&](const VerbRow& row) { return row.name.starts_with(begin); });
}

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

// `word` is the first of the verb, or all of it.
Error unknown_verb(std::string_view word) {
  std::vector<std::string_view> names;
  for (const VerbRow& row : all_verbs()) {
    const std::string_view name = row.name;
    names.push_back(word.contains(' ') ? name : name.substr(0, name.find(' ')));
  }
  return misuse("There is no verb " + quoted(word) + "." + suggestion(word, names) +
                " `partita help` lists the verbs.");
}

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

// The name of a verb may come as two words.
Result<void> take_topic(Draft& draft, std::string_view word) {
  std::string& topic = draft.line.topic;
  topic.append(topic.empty() ? "" : " ").append(word);
  return {};
}

Result<void> finish_help(Draft& draft) {
  const std::string& topic = draft.line.topic;
  const bool known = topic.empty() || find_verb(topic) != nullptr || is_first_word(topic);
  return known ? Result<void>() : unknown_verb(topic);
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
  return flag->set(draft, value.value_or(""));
}

}  // namespace

Result<CommandLine> read_command_line(std::span<const char* const> words) {
  Draft draft;
  if (words.empty()) return misuse("No verb was given. `partita help` lists the verbs.");
  if (asks_for_help(words[0])) return std::move(draft.line);
  if (std::string_view(words[0]) == "--version") {
    draft.line.verb = Verb::kVersion;
    return std::move(draft.line);
  }
  size_t at = 0;
  const VerbRow* const row = verb_before(words, at);
  if (row == nullptr && is_first_word(words[0])) {
    const std::string word = words[0];
    if (words.size() > 1 && asks_for_help(words[1])) {
      draft.line.topic = word;
      return std::move(draft.line);
    }
    return unknown_second_word(word, words.size() > 1 ? words[1] : "");
  }
  if (row == nullptr) return unknown_verb(words[0]);
  draft.line.verb = row->verb;
  if (row->verb == Verb::kAccount) draft.line.topic = row->name;
  draft.line.http.threads = usable_processors();
  for (size_t taken = 0; at < words.size();) {
    const std::string_view word = words[at];
    if (asks_for_help(word)) {
      draft.line.verb = Verb::kHelp;
      draft.line.topic = row->name;
      return std::move(draft.line);
    }
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
