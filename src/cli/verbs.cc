#include "cli/verbs.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>
#include <utility>

#include "base/suggestion.h"
#include "cli/serve_flags.h"
#include "cli/sink_verbs.h"
#include "cli/verify.h"
#include "engines/stores.h"

namespace partita::cli {

namespace {

constexpr int kMisuse = 2;  // the exit code of a wrong command line
constexpr int kLosses = 3;  // `salvage`: something is lost

Result<void> add_context(Draft& draft, const Flag&, std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return misuse("--context takes KEY=VALUE, such as dynamodb:LeadingKeys=alice, not " + quoted(text) + ".");
  }
  draft.line.simulate.request.context.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  return {};
}

constexpr std::array kSalvageFlags = {
    Flag{"--data", "DIR", "The directory of the damaged store. It is left unchanged.", set_data},
    Flag{"--to", "NEWDIR", "The directory for the saved data: new or empty.", set_text<PARTITA_OPTION(salvage.to)>},
};

constexpr std::array kAccountFlags = {kServerFlag};

constexpr std::array kSimulateFlags = {
    Flag{"--identities", "FILE",
         "Evaluate the users, groups and policies of this file, as `serve --identities` takes it. Without it, a "
         "running server evaluates its own.",
         set_text<PARTITA_OPTION(simulate.identities)>},
    kServerFlag,
    Flag{"--user", "NAME", "The user who makes the request.", set_text<PARTITA_OPTION(simulate.request.user)>},
    Flag{"--role", "NAME", "The role whose session makes the request, instead of a user.",
         set_text<PARTITA_OPTION(simulate.request.role)>},
    Flag{"--action", "ACTION", "The requested action, such as dynamodb:GetItem.",
         set_text<PARTITA_OPTION(simulate.request.action)>},
    Flag{"--resource", "ARN", "The table, index or stream that the request names.",
         set_text<PARTITA_OPTION(simulate.request.resource)>},
    Flag{"--context", "KEY=VALUE",
         "The request's value of a condition key, such as dynamodb:LeadingKeys=alice. Repeat the option for more "
         "keys, or for more values of one key.",
         add_context},
    Flag{"--resource-policy", "FILE", "Use this resource policy instead of the stored one.",
         set_text<PARTITA_OPTION(simulate.request.resource_policy)>},
};

constexpr std::array kStatusFlags = {
    Flag{"--json", "", "Print one JSON object, for programs.", set_on<PARTITA_OPTION(status.json)>},
};

constexpr std::array kKeyFlags = {
    kServerFlag,
    Flag{"--into", "FILE",
         "Write the key into FILE, such as ~/.aws/credentials, as the key of profile NAME, instead of printing it. An "
         "older key of that profile is replaced.",
         set_text<PARTITA_OPTION(account.credentials_file)>},
};

constexpr std::array kMcpFlags = {
    Flag{"--write", "", "Also offer tools that change items and tables. Without it, all tools are read-only.",
         set_on<PARTITA_OPTION(mcp.writes)>},
    Flag{"--endpoint-url", "URL",
         "Use the running server at this address, such as http://localhost:8000. Requests are signed with "
         "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION of the environment.",
         set_text<PARTITA_OPTION(mcp.endpoint)>},
    Flag{"--namespace", "NAME", "With --endpoint-url: the namespace to use on that server.",
         set_text<PARTITA_OPTION(mcp.space)>},
    Flag{"--data", "DIR", "The data directory (default ./partita-data). No server may be using it.", set_data},
    Flag{"--in-memory", "", "Start empty, and keep nothing.", set_in_memory},
    Flag{"--store", "URL", "Use this store instead of a directory; see `partita help serve`.", set_store},
    Flag{"--seed", "DIR", "Create the tables and items described in this directory, as `serve --seed` does.",
         set_text<PARTITA_OPTION(mcp.seed)>},
};

constexpr std::array kBackupFlags = {
    Flag{"--keep", "N", "Afterwards delete all but the newest N backups (default: keep all).",
         set_number<PARTITA_OPTION(backup.keep), 1, 1'000'000>},
    Flag{"--mend", "", "First check the files that earlier backups share, and copy damaged ones again from the store.",
         set_on<PARTITA_OPTION(backup.mends)>},
};

constexpr std::array kPruneFlags = {
    Flag{"--keep", "N", "The number of backups to keep.", set_number<PARTITA_OPTION(backup.keep), 1, 1'000'000>},
};

constexpr std::array kRestoreFlags = {
    Flag{"--backup", "ID", "The backup's number in `partita backup list` (default: the newest).",
         set_number<PARTITA_OPTION(backup.id), 1, UINT32_MAX>},
};

// A store's URL, or a directory.
Result<std::string> place_named(std::string_view word) {
  if (check_store(word).ok()) return std::string(word);
  if (word.empty() || names_store(word)) PARTITA_TRY_VOID(check_url(word));
  return store_in(word);
}

// FROM, then TO.
Result<void> take_copied(Draft& draft, std::string_view word) {
  PARTITA_TRY(std::string url, place_named(word));
  if (engine_of(url).format == 0) return misuse("An in-memory store cannot be copied: it ends with its server.");
  std::string& place = draft.line.copy.from.empty() ? draft.line.copy.from : draft.line.copy.to;
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
  if (!draft.line.backup.store.empty()) return take_directory(word, {}, kBackupNeeds, {&draft.line.backup.directory});
  PARTITA_TRY(draft.line.backup.store, place_named(word));
  return {};
}

Result<void> finish_backup(Draft& draft) {
  return draft.line.backup.directory.empty() ? misuse(kBackupNeeds) : Result<void>();
}

Result<void> take_list(Draft& draft, std::string_view word) {
  return take_directory(word, {}, kListNeeds, {&draft.line.backup.directory});
}

Result<void> finish_list(Draft& draft) {
  return draft.line.backup.directory.empty() ? misuse(kListNeeds) : Result<void>();
}

Result<void> take_prune(Draft& draft, std::string_view word) {
  return take_directory(word, {}, kPruneNeeds, {&draft.line.backup.directory});
}

Result<void> finish_prune(Draft& draft) {
  return draft.line.backup.directory.empty() || draft.line.backup.keep == 0 ? misuse(kPruneNeeds) : Result<void>();
}

Result<void> take_restore(Draft& draft, std::string_view word) {
  const std::string_view instead =
      draft.line.backup.directory.empty() ? "" : "Restore into a directory, then use `partita copy DIR URL`.";
  return take_directory(word, instead, kRestoreNeeds, {&draft.line.backup.directory, &draft.line.backup.to});
}

Result<void> finish_restore(Draft& draft) {
  return draft.line.backup.to.empty() ? misuse(kRestoreNeeds) : Result<void>();
}

Result<void> take_verified(Draft& draft, std::string_view word) {
  if (!draft.line.backup.store.empty()) return misuse(kVerifyNeeds);
  PARTITA_TRY(draft.line.backup.store, place_named(word));
  const std::string place = place_of_store(draft.line.backup.store);
  const storage::BackupFunctions* const backups = engine_of(draft.line.backup.store).backups;
  if (backups != nullptr && backups->is_backup_directory(place)) draft.line.backup.directory = place;
  return {};
}

Result<void> finish_verify(Draft& draft) {
  if (draft.line.backup.store.empty()) return misuse(kVerifyNeeds);
  if (draft.line.backup.directory.empty() && draft.line.backup.id != 0) {
    return misuse("--backup needs a directory of backups, and " + place_of_store(draft.line.backup.store) +
                  " is not one.");
  }
  return {};
}

Result<void> finish_copy(Draft& draft) {
  return draft.line.copy.to.empty() ? misuse("`partita copy` takes two stores: FROM and TO.") : Result<void>();
}

Result<void> finish_salvage(Draft& draft) {
  draft.line.salvage.from = draft.data.value_or("");
  if (draft.line.salvage.from.empty() || draft.line.salvage.to.empty()) {
    return misuse("`partita salvage` needs --data DIR and --to NEWDIR.");
  }
  return {};
}

Result<void> finish_simulate(Draft& draft) {
  const admin::SimulatedRequest& asked = draft.line.simulate.request;
  const bool who = asked.user.empty() != asked.role.empty();
  if (!who || asked.action.empty() || asked.resource.empty()) {
    return misuse("`partita policy simulate` needs --user or --role, --action and --resource.");
  }
  if (!draft.line.simulate.identities.empty() && draft.data) {
    return misuse("--identities evaluates a file, and --data asks a server: give one of them.");
  }
  if (asked.action.find(':') == std::string::npos) {
    return misuse("--action takes SERVICE:ACTION, such as dynamodb:" + asked.action + ", not '" + asked.action + "'.");
  }
  if (!draft.line.simulate.identities.empty()) return {};
  PARTITA_TRY(draft.line.simulate.server, server_named(draft.data.value_or(std::string(kDefaultData))));
  return {};
}

Result<void> finish_mcp(Draft& draft) {
  if (!draft.line.mcp.endpoint.empty()) {
    const bool own = draft.data || draft.store || draft.in_memory || !draft.line.mcp.seed.empty();
    if (own)
      return misuse(
          "--endpoint-url uses the data of a running server: leave out --data, --in-memory, --store and --seed.");
    return {};
  }
  if (!draft.line.mcp.space.empty()) return misuse("--namespace needs --endpoint-url.");
  PARTITA_TRY(draft.line.mcp.store, store_of(draft));
  return {};
}

Result<void> take_server(std::string& server, std::string_view word) {
  if (!server.empty()) return misuse("Name one server: its data directory or its administration socket.");
  PARTITA_TRY(server, server_named(word));
  return {};
}

Result<void> take_status(Draft& draft, std::string_view word) { return take_server(draft.line.status.server, word); }

Result<void> finish_status(Draft& draft) {
  if (draft.line.status.server.empty()) draft.line.status.server = kDefaultData;
  return {};
}

Result<void> take_word(Draft& draft, std::string_view word) {
  draft.line.account.words.emplace_back(word);
  return {};
}

Result<void> finish_account(Draft& draft) {
  draft.line.account.verb = draft.line.verb->name;
  PARTITA_TRY(draft.line.account.server, server_named(draft.data.value_or(std::string(kDefaultData))));
  return check_account_verb(draft.line.account);
}

// NAME, then the server.
Result<void> take_named(Draft& draft, std::string_view word) {
  OperateOptions& options = draft.line.operate;
  if (!options.server.empty())
    return misuse("Too many words: give one name, then one data directory or administration socket.");
  if (!options.subject.empty()) {
    PARTITA_TRY(options.server, server_named(word));
  } else {
    options.subject = word;
  }
  return {};
}

Result<void> take_unnamed(Draft& draft, std::string_view word) { return take_server(draft.line.operate.server, word); }

constexpr char kCreateSnapshot[] = "CreateSnapshot";
constexpr char kDeleteNamespace[] = "DeleteNamespace";
constexpr char kDeleteSnapshot[] = "DeleteSnapshot";
constexpr char kDescribeClock[] = "DescribeClock";
constexpr char kDescribeHeat[] = "DescribeHeat";
constexpr char kListNamespaces[] = "ListNamespaces";
constexpr char kListSnapshots[] = "ListSnapshots";
constexpr char kMoveClock[] = "MoveClock";
constexpr char kRollbackToSnapshot[] = "RollbackToSnapshot";

template <const char* kOperation>
Result<void> finish_unnamed(Draft& draft) {
  OperateOptions& options = draft.line.operate;
  options.operation = kOperation;
  if (options.server.empty()) options.server = kDefaultData;
  return {};
}

template <const char* kOperation>
Result<void> finish_named(Draft& draft) {
  if (draft.line.operate.subject.empty()) {
    return misuse(kOperation == kMoveClock         ? "`partita clock advance` needs an OFFSET, such as 90m or 31d."
                  : kOperation == kDescribeHeat    ? "`partita heat` needs the name of a TABLE."
                  : kOperation == kDeleteNamespace ? "Give the NAME of the namespace."
                                                   : "Give the NAME of the snapshot.");
  }
  return finish_unnamed<kOperation>(draft);
}

// OFFSET, then the server.
Result<void> finish_advance(Draft& draft) {
  OperateOptions& options = draft.line.operate;
  PARTITA_TRY_VOID(finish_named<kMoveClock>(draft));
  PARTITA_TRY(options.offset_s, read_offset("`partita clock advance`", options.subject));
  return {};
}

constexpr std::array kSnapshotFlags = {
    Flag{"--namespace", "NAME", "Act on this namespace instead of the default one.",
         set_text<PARTITA_OPTION(operate.space)>},
};

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

// A VerbRow::run of a verb's function, which returns nothing or whether all is well. kNotWell: the exit code of false.
template <auto kRun, auto kOptions, int kNotWell = 1>
Result<int> run_with(const CommandLine& line, const Build&) {
  auto done = kRun(line.*kOptions);
  if (!done.ok()) return std::move(done).error();
  if constexpr (std::is_same_v<decltype(done), Result<bool>>) return *done ? 0 : kNotWell;
  return 0;
}

Result<int> run_mcp(const CommandLine& line, const Build& build) {
  PARTITA_TRY_VOID(mcp(line.mcp, build.version));
  return 0;
}

Result<int> run_version(const CommandLine&, const Build& build) {
  std::printf("partita %s\nrevision %s\n", std::string(build.version).c_str(), std::string(build.revision).c_str());
  for (const EngineRow& engine : engines()) {
    if (engine.format != 0) std::printf("format %u of %s\n", engine.format, std::string(engine.url).c_str());
  }
  return 0;
}

// Not constexpr: the flags of `serve` are defined in another file.
const std::array kOwnVerbs = {
    VerbRow{
        kServeVerb, "[OPTION...]",
        "Serve the DynamoDB API over HTTP or HTTPS. Prints one line when ready; SIGTERM or SIGINT stops it cleanly.",
        serve_flags(), nullptr, finish_serve},
    VerbRow{"status", "[DIR|SOCKET] [--json]",
            "Show the version, address, store and health of a running server. Name the server by its data directory "
            "(default ./partita-data) or its administration socket. Exit code 1 when no server answers, or when its "
            "store does not.",
            kStatusFlags, run_with<status, &CommandLine::status>, finish_status, take_status},
    VerbRow{"heat", "TABLE [DIR|SOCKET] [--namespace NAME]",
            "Show the load on the partitions of a table and of its global indexes: their ranges, what they serve and "
            "refuse, their hottest keys, and why one is not split. Name the server by its data directory (default "
            "./partita-data) or its administration socket.",
            kSnapshotFlags, run_with<operate, &CommandLine::operate>, finish_named<kDescribeHeat>, take_named},
    VerbRow{
        "backup", "STORE BACKUPS [OPTION...]",
        "Back up a store into a directory of backups, copying only new data. A server may be using the store. STORE "
        "is a data directory, or a server's administration socket. Back up PostgreSQL and FoundationDB with their own "
        "tools.",
        kBackupFlags, run_with<back_up, &CommandLine::backup>, finish_backup, take_backup},
    VerbRow{"backup list",
            "BACKUPS",
            "List the backups in a directory.",
            {},
            run_with<list_backups, &CommandLine::backup>,
            finish_list,
            take_list},
    VerbRow{"backup prune", "BACKUPS --keep N", "Delete all but the newest N backups, and backups with missing files.",
            kPruneFlags, run_with<prune_backups, &CommandLine::backup>, finish_prune, take_prune},
    VerbRow{
        "restore", "BACKUPS DIR [OPTION...]",
        "Restore a backup into a new or empty directory. If it is interrupted, run the same command again: it starts "
        "over. No server opens an unfinished restore.",
        kRestoreFlags, run_with<restore, &CommandLine::backup>, finish_restore, take_restore},
    VerbRow{
        "verify", "STORE|BACKUPS [OPTION...]",
        "Check a backup, or a store that no server is using. It checks the checksums of all files, and that indexes, "
        "counts, streams and the catalogue agree with the items. Exit code 1 when something is wrong.",
        kRestoreFlags, run_with<verify, &CommandLine::backup>, finish_verify, take_verified},
    VerbRow{
        "copy",
        "FROM TO",
        "Copy a store to another directory or database. No server may be using either. FROM and TO are directories, "
        "or stores as `serve --store` takes them. If it is interrupted, run the same command again to continue. At "
        "the end it reads the copy back and compares it with FROM.",
        {},
        run_with<copy, &CommandLine::copy>,
        finish_copy,
        take_copied},
    VerbRow{
        "salvage", "--data DIR --to NEWDIR",
        "Save the readable part of a damaged store into a new store, and list what is lost. Exit code 0 when nothing "
        "is lost, 3 when something is, 1 when nothing could be saved.",
        kSalvageFlags, run_with<salvage, &CommandLine::salvage, kLosses>, finish_salvage},
    VerbRow{"policy simulate", "--user|--role NAME --action ACTION --resource ARN [OPTION...]",
            "Show whether policies allow a request, and if not, why. The policies are those of a running server or of "
            "--identities. "
            "Exit code 0 when the request is allowed, 1 when it is refused, 2 when the question cannot be answered.",
            kSimulateFlags, run_with<simulate, &CommandLine::simulate>, finish_simulate, nullptr, kMisuse},
    VerbRow{
        "snapshot create", "NAME [DIR|SOCKET] [--namespace NAME]",
        "Take a snapshot of all tables and items of a running server. Name the server by its data directory (default "
        "./partita-data) or its administration socket.",
        kSnapshotFlags, run_with<operate, &CommandLine::operate>, finish_named<kCreateSnapshot>, take_named},
    VerbRow{"snapshot rollback", "NAME [DIR|SOCKET] [--namespace NAME]",
            "Return all tables and items to the state of a snapshot.", kSnapshotFlags,
            run_with<operate, &CommandLine::operate>, finish_named<kRollbackToSnapshot>, take_named},
    VerbRow{"snapshot list", "[DIR|SOCKET] [--namespace NAME]", "List the snapshots of a running server.",
            kSnapshotFlags, run_with<operate, &CommandLine::operate>, finish_unnamed<kListSnapshots>, take_unnamed},
    VerbRow{"snapshot delete", "NAME [DIR|SOCKET] [--namespace NAME]", "Delete a snapshot.", kSnapshotFlags,
            run_with<operate, &CommandLine::operate>, finish_named<kDeleteSnapshot>, take_named},
    VerbRow{"clock show", "[DIR|SOCKET] [--namespace NAME]",
            "Show the time of a server's database, and its offset from the machine's clock.", kSnapshotFlags,
            run_with<operate, &CommandLine::operate>, finish_unnamed<kDescribeClock>, take_unnamed},
    VerbRow{"clock advance", "OFFSET [DIR|SOCKET] [--namespace NAME]",
            "Move the clock of a server's database forward, for tests. OFFSET is a number of seconds, or a number "
            "followed by s, m, h or d, such as 90m or 31d.",
            kSnapshotFlags, run_with<operate, &CommandLine::operate>, finish_advance, take_named},
    VerbRow{"clock reset", "[DIR|SOCKET] [--namespace NAME]",
            "Return the clock of a server's database to the machine's time.", kSnapshotFlags,
            run_with<operate, &CommandLine::operate>, finish_unnamed<kMoveClock>, take_unnamed},
    VerbRow{"namespace list",
            "[DIR|SOCKET]",
            "List the namespaces that hold data.",
            {},
            run_with<operate, &CommandLine::operate>,
            finish_unnamed<kListNamespaces>,
            take_unnamed},
    VerbRow{"namespace drop",
            "NAME [DIR|SOCKET]",
            "Delete a namespace and everything in it.",
            {},
            run_with<operate, &CommandLine::operate>,
            finish_named<kDeleteNamespace>,
            take_named},
    VerbRow{"mcp", "[OPTION...]",
            "Offer a store to AI agents over the Model Context Protocol on stdin and stdout. DynamoDB's operations are "
            "its tools.",
            kMcpFlags, run_mcp, finish_mcp},
    VerbRow{"version", "", "Print the version, the revision and the store formats.", {}, run_version},
    VerbRow{kHelpVerb, "[VERB]", "Show how to use partita, or one of its verbs.", {}, nullptr, finish_help, take_topic},
};

}  // namespace

const std::vector<VerbRow>& all_verbs() {
  static const std::vector<VerbRow> all = [] {
    std::vector<VerbRow> rows(kOwnVerbs.begin(), kOwnVerbs.end());
    const auto place = std::ranges::find(rows, "policy simulate", &VerbRow::name);
    std::vector<VerbRow> more;
    for (const AccountVerb& verb : account_verbs()) {
      const std::span<const Flag> flags = verb.name == kKeyVerb ? std::span<const Flag>(kKeyFlags) : kAccountFlags;
      more.push_back({verb.name, verb.arguments, verb.help, flags, run_with<run_account_verb, &CommandLine::account>,
                      finish_account, take_word});
    }
    rows.insert(place, more.begin(), more.end());
    const auto before = std::ranges::find(rows, "backup", &VerbRow::name);
    rows.insert(before, sink_verbs().begin(), sink_verbs().end());
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

}  // namespace partita::cli
