#include "app/command_line.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "app/account_verbs.h"
#include "app/engines.h"
#include "app/options.h"
#include "app/suggestion.h"
#include "app/verbs.h"
#include "base/processors.h"

namespace partita::app {

namespace {

Result<void> set_user(Draft& draft, std::string_view text) {
  draft.line.simulated.user = text;
  return {};
}

Result<void> set_role(Draft& draft, std::string_view text) {
  draft.line.simulated.role = text;
  return {};
}

Result<void> set_action(Draft& draft, std::string_view text) {
  draft.line.simulated.action = text;
  return {};
}

Result<void> set_resource(Draft& draft, std::string_view text) {
  draft.line.simulated.resource = text;
  return {};
}

Result<void> set_resource_policy(Draft& draft, std::string_view text) {
  draft.line.simulated.resource_policy = text;
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
    Flag{"--data", "DIR", "Where the damaged store is; it is left as it is.", set_data},
    Flag{"--to", "NEWDIR", "Where to put what can be saved: a directory that is not there yet, or empty.",
         set_text<&CommandLine::to>},
};

constexpr std::array kSimulateFlags = {
    Flag{"--identities", "FILE", "Users, groups and policies, as `serve` takes them. Without it a server is asked.",
         set_text<&CommandLine::identities>},
    Flag{"--data", "DIR",
         "Ask a running server, by its own users and policies: the directory of its data (default ./partita-data), or "
         "its administration socket.",
         set_data},
    Flag{"--user", "NAME", "Who asks.", set_user},
    Flag{"--role", "NAME", "The same, of a session of a role.", set_role},
    Flag{"--action", "ACTION", "What for, such as dynamodb:GetItem.", set_action},
    Flag{"--resource", "ARN", "Of what: a table, an index or a stream.", set_resource},
    Flag{
        "--context", "KEY=VALUE",
        "What the request has for a condition key, such as dynamodb:LeadingKeys=alice. Given often: more keys, or more "
        "values of one.",
        add_context},
    Flag{"--resource-policy", "FILE",
         "The policy of the table or the stream, in place of the one that a server has for it.", set_resource_policy},
};

constexpr std::array kAccountFlags = {
    Flag{"--data", "DIR",
         "Of which server: the directory of its data (default ./partita-data), or its administration socket.",
         set_data},
};

constexpr std::array kStatusFlags = {
    Flag{"--json", "", "Print one object of JSON, for programs, instead of sentences.", set_on<&CommandLine::json>},
};

constexpr std::array kKeyFlags = {
    kAccountFlags[0],
    Flag{"--into", "FILE",
         "Do not print the key, but put it into FILE, such as ~/.aws/credentials, as the one of the profile NAME, in "
         "the place of the one that it has.",
         set_text<&CommandLine::to>},
};

constexpr std::array kMcpFlags = {
    Flag{"--write", "", "Offer tools that change items and tables too, not only those that read.",
         set_on<&CommandLine::writes>},
    Flag{"--endpoint-url", "URL",
         "Ask the server there, such as http://localhost:8000, with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, "
         "AWS_SESSION_TOKEN and AWS_REGION of the environment.",
         set_text<&CommandLine::endpoint>},
    Flag{"--namespace", "NAME", "Of that server: the namespace.", set_text<&CommandLine::space>},
    Flag{"--data", "DIR", "Where the data is (default ./partita-data); no server may be using it.", set_data},
    Flag{"--in-memory", "", "Begin with nothing, and leave nothing.", set_in_memory},
    Flag{"--store", "URL", "Another place for the data, as `serve` takes it.", set_store},
    Flag{"--seed", "DIR", "Begin with the tables and items of a directory, as `serve` does.",
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
    Flag{"--keep", "N", "Then delete all but the newest N backups of the directory (default: keep all).", set_keep},
    Flag{"--mend", "",
         "First read all that earlier backups share, and copy again from the store what is damaged there.",
         set_on<&CommandLine::mends>},
};

constexpr std::array kPruneFlags = {
    Flag{"--keep", "N", "How many of the newest stay.", set_keep},
};

constexpr std::array kRestoreFlags = {
    Flag{"--backup", "ID", "Which one, as `partita backup list` shows them (default: the newest).", set_backup_id},
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
  if (engine_of(url).format == 0) return misuse("What is in memory can not be copied.");
  std::string& place = draft.line.from.empty() ? draft.line.from : draft.line.to;
  if (!place.empty()) return misuse("`partita copy` takes two places, FROM and TO, and no third.");
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

constexpr const char* kBackupNeeds = "`partita backup` needs a STORE and a directory of BACKUPS, and no more.";
constexpr const char* kListNeeds = "`partita backup list` needs one directory of BACKUPS.";
constexpr const char* kPruneNeeds = "`partita backup prune` needs one directory of BACKUPS, and --keep N.";
constexpr const char* kRestoreNeeds =
    "`partita restore` needs a directory of BACKUPS and a new directory, and no more.";
constexpr const char* kVerifyNeeds = "`partita verify` needs one STORE, or one directory of BACKUPS.";

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
      draft.line.backups.empty() ? "" : "Restore to one, and take it to a database with `partita copy DIR URL`.";
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
    return misuse("--backup is for a directory of backups, and " + place_of_store(draft.line.from) + " is none.");
  }
  return {};
}

Result<void> finish_copy(Draft& draft) {
  return draft.line.to.empty() ? misuse("`partita copy` needs two places: FROM and TO.") : Result<void>();
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
  return misuse("A server is named by its directory or its socket, not by " + quoted(word) + ".");
}

Result<void> finish_simulate(Draft& draft) {
  const Simulated& asked = draft.line.simulated;
  const bool who = asked.user.empty() != asked.role.empty();
  if (!who || asked.action.empty() || asked.resource.empty()) {
    return misuse("`partita policy simulate` needs --user or --role, --action and --resource.");
  }
  if (!draft.line.identities.empty() && draft.data) {
    return misuse("--identities asks a file, and --data a server: give one of them.");
  }
  if (asked.action.find(':') == std::string::npos) {
    return misuse("--action takes the service too: dynamodb:" + asked.action + ", not '" + asked.action + "'.");
  }
  if (!draft.line.identities.empty()) return {};
  PARTITA_TRY(draft.line.data, server_named(draft.data.value_or(std::string(kUsualData))));
  return {};
}

Result<void> finish_mcp(Draft& draft) {
  if (!draft.line.endpoint.empty()) {
    const bool own = draft.data || draft.store || draft.in_memory || !draft.line.seed.empty();
    if (own)
      return misuse("--endpoint-url is for the data of a server; leave out --data, --in-memory, --store and --seed.");
    return {};
  }
  if (!draft.line.space.empty()) return misuse("--namespace goes with --endpoint-url.");
  PARTITA_TRY(draft.line.store, store_of(draft));
  return {};
}

Result<void> take_served(Draft& draft, std::string_view word) {
  if (!draft.line.data.empty()) return misuse("This takes one directory or socket, and no second.");
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
  if (!draft.line.data.empty()) return misuse("This takes a name and one directory or socket, and no more.");
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
    return misuse(operation == "MoveClock" ? "An OFFSET is missing, such as 90m or 31d." : "A NAME is missing.");
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
    Flag{"--namespace", "NAME", "Of this namespace, not of the database without a name.",
         set_text<&CommandLine::space>},
};

Result<void> take_topic(Draft& draft, std::string_view word);
Result<void> finish_help(Draft& draft);

// Serve's flags are not known at compile time, since they are another file's.
const std::array kOwnVerbs = {
    VerbRow{"serve", Verb::kServe, "[OPTION...]",
            "Serve DynamoDB's API over HTTP. Prints one line when ready; SIGTERM or SIGINT stops it cleanly.",
            serve_flags(), finish_serve},
    VerbRow{"status", Verb::kStatus, "[DIR|SOCKET] [--json]",
            "Ask the server that uses a directory (default ./partita-data), or that listens at an administration "
            "socket, what it is. Exit code 1 when there is none, or its store does not answer.",
            kStatusFlags, finish_status, take_served},
    VerbRow{
        "backup", Verb::kBackup, "STORE BACKUPS [OPTION...]",
        "Back up a store, while it is served or not, into a directory of backups, which takes only what is new. STORE "
        "is a directory, a server's administration socket, or a store as `serve --store` takes it.",
        kBackupFlags, finish_backup, take_backup},
    VerbRow{"backup list",
            Verb::kListBackups,
            "BACKUPS",
            "List the backups in a directory of them.",
            {},
            finish_list,
            take_list},
    VerbRow{"backup prune", Verb::kPruneBackups, "BACKUPS --keep N",
            "Delete all but the newest backups, and those of which files are missing.", kPruneFlags, finish_prune,
            take_prune},
    VerbRow{
        "restore", Verb::kRestore, "BACKUPS DIR [OPTION...]",
        "Make a store of a backup in a directory that is not there yet, or empty. Interrupted, the same command begins "
        "anew, and no server takes what is there for a store.",
        kRestoreFlags, finish_restore, take_restore},
    VerbRow{"verify", Verb::kVerify, "STORE|BACKUPS [OPTION...]",
            "Read a store that no server uses, or a backup where it is: are its files whole, and do indexes, counts, "
            "streams and the catalogue fit the items? Exit code 1 when something differs.",
            kRestoreFlags, finish_verify, take_verified},
    VerbRow{"copy",
            Verb::kCopy,
            "FROM TO",
            "Copy a store that no server uses to another place: directories, or stores as `serve --store` takes them. "
            "Interrupted, the same command goes on. Ends when all of it was read back and is the same.",
            {},
            finish_copy,
            take_copied},
    VerbRow{
        "salvage", Verb::kSalvage, "--data DIR --to NEWDIR",
        "Save all that is readable of a damaged store into a new one, and list what is lost. Exit code 0 when nothing "
        "is lost, 3 when something is, 1 when nothing could be saved.",
        kSalvageFlags, finish_salvage},
    VerbRow{
        "policy simulate", Verb::kSimulate, "--user|--role NAME --action ACTION --resource ARN [OPTION...]",
        "Say whether policies allow a request, and if not, why not. Exit code 0 when they do, 1 when they do not, 2 when "
        "the question cannot be answered. Asks a running server, or a file of identities.",
        kSimulateFlags, finish_simulate},
    VerbRow{
        "snapshot create", Verb::kOperate, "NAME [DIR|SOCKET] [--namespace NAME]",
        "Have the server that uses a directory, or that listens at an administration socket, remember its tables and "
        "items as they are now.",
        kSnapshotFlags, [](Draft& draft) { return finish_operated(draft, "CreateSnapshot"); }, take_operated},
    VerbRow{"snapshot rollback", Verb::kOperate, "NAME [DIR|SOCKET] [--namespace NAME]",
            "Set all tables and items back to how a snapshot has them.", kSnapshotFlags,
            [](Draft& draft) { return finish_operated(draft, "RollbackToSnapshot"); }, take_operated},
    VerbRow{"snapshot list", Verb::kOperate, "[DIR|SOCKET] [--namespace NAME]", "List the snapshots.", kSnapshotFlags,
            [](Draft& draft) { return finish_listed(draft, "ListSnapshots"); }, take_served},
    VerbRow{"snapshot delete", Verb::kOperate, "NAME [DIR|SOCKET] [--namespace NAME]", "Forget a snapshot.",
            kSnapshotFlags, [](Draft& draft) { return finish_operated(draft, "DeleteSnapshot"); }, take_operated},
    VerbRow{"clock show", Verb::kOperate, "[DIR|SOCKET] [--namespace NAME]",
            "Say what time it is for a server's database, and how far that is from the machine's clock.",
            kSnapshotFlags, [](Draft& draft) { return finish_listed(draft, "DescribeClock"); }, take_served},
    VerbRow{"clock advance", Verb::kOperate, "OFFSET [DIR|SOCKET] [--namespace NAME]",
            "For tests: move the clock of a server's database on by so many seconds, or 90m, 2h, 31d.", kSnapshotFlags,
            finish_advance, take_operated},
    VerbRow{"clock reset", Verb::kOperate, "[DIR|SOCKET] [--namespace NAME]",
            "Set the clock of a server's database back to the machine's.", kSnapshotFlags,
            [](Draft& draft) { return finish_listed(draft, "MoveClock"); }, take_served},
    VerbRow{"namespace list",
            Verb::kOperate,
            "[DIR|SOCKET]",
            "List the namespaces that hold anything.",
            {},
            [](Draft& draft) { return finish_listed(draft, "ListNamespaces"); },
            take_served},
    VerbRow{"namespace drop",
            Verb::kOperate,
            "NAME [DIR|SOCKET]",
            "Delete a namespace, with all that it holds.",
            {},
            [](Draft& draft) { return finish_operated(draft, "DeleteNamespace"); },
            take_operated},
    VerbRow{"mcp", Verb::kMcp, "[OPTION...]",
            "Be a server of the Model Context Protocol on stdin and stdout, with DynamoDB's operations as tools.",
            kMcpFlags, finish_mcp},
    VerbRow{"version", Verb::kVersion, "", "Print the version, the revision, and the formats of stores.", {}},
    VerbRow{
        "help", Verb::kHelp, "[VERB]", "Print how to use partita, or one of its verbs.", {}, finish_help, take_topic},
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
  return misuse("`partita " + first + "` wants another word." + hint + " `partita help " + first + "` lists them.");
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
  if (stores && names_store(word)) return misuse("`partita " + name + "` takes a store's URL behind --store.");
  if (flag == verb.flags.end()) return unknown_flag(verb, word);
  if (flag->argument.empty()) {
    if (value) return misuse(std::string(word) + " takes no value.");
  } else {
    if (!value && at < words.size()) value = words[at++];
    if (value.value_or("").empty()) {
      return misuse(std::string(word) + " takes a value: " + std::string(flag->argument) + ".");
    }
  }
  return flag->set(draft, value.value_or(""));
}

}  // namespace

Result<CommandLine> read_command_line(std::span<const char* const> words) {
  Draft draft;
  if (words.empty()) return misuse("What shall partita do? `partita help` lists its verbs.");
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

}  // namespace partita::app
