#include "app/command_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "app/engines.h"
#include "auth/words.h"
#include "base/processors.h"

namespace partita::app {

namespace {

Error misuse(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

// How `serve` was asked to store, until all words are read.
struct Draft {
  CommandLine line;
  std::optional<std::string> data;
  std::optional<std::string> store;
  bool in_memory = false;
};

Result<uint64_t> read_number(std::string_view flag, std::string_view text, uint64_t least, uint64_t most) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    return misuse(std::string(flag) + " takes a number from " + std::to_string(least) + " to " + std::to_string(most) +
                  ", not '" + std::string(text) + "'.");
  }
  return number;
}

Result<void> set_listen(Draft& draft, std::string_view text) {
  const size_t colon = text.rfind(':');
  const bool bracketed = text.starts_with('[');
  if (!bracketed && text.find(':') != colon) {
    return misuse("--listen takes an IPv6 address in brackets and with a port, such as [::1]:8000, not '" +
                  std::string(text) + "'.");
  }
  std::string_view address = text.substr(0, std::min(colon, text.size()));
  if (bracketed && address.size() > 2 && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  } else if (bracketed || colon == std::string_view::npos || colon == 0) {
    return misuse("--listen takes HOST:PORT, such as localhost:8000 or [::1]:8000, not '" + std::string(text) + "'.");
  }
  PARTITA_TRY(const uint64_t port, read_number("--listen HOST:PORT", text.substr(colon + 1), 0, 65535));
  draft.line.http.address = address;
  draft.line.http.port = static_cast<uint16_t>(port);
  return {};
}

template <std::string CommandLine::* kMember>
Result<void> set_text(Draft& draft, std::string_view text) {
  draft.line.*kMember = text;
  return {};
}

template <bool CommandLine::* kMember>
Result<void> set_on(Draft& draft, std::string_view) {
  draft.line.*kMember = true;
  return {};
}

Result<void> set_data(Draft& draft, std::string_view text) {
  draft.data = text;
  return {};
}

Result<void> set_in_memory(Draft& draft, std::string_view) {
  draft.in_memory = true;
  return {};
}

Result<void> set_store(Draft& draft, std::string_view text) {
  draft.store = text;
  return {};
}

Result<void> set_threads(Draft& draft, std::string_view text) {
  PARTITA_TRY(const uint64_t threads, read_number("--threads", text, 1, 1024));
  draft.line.http.threads = static_cast<unsigned>(threads);
  return {};
}

Result<void> set_max_connections(Draft& draft, std::string_view text) {
  PARTITA_TRY(draft.line.http.max_connections, read_number("--max-connections", text, 1, 1'000'000));
  return {};
}

Result<void> set_seconds(int64_t& milliseconds, std::string_view flag, std::string_view text) {
  PARTITA_TRY(const uint64_t seconds, read_number(flag, text, 1, 86'400));
  milliseconds = static_cast<int64_t>(seconds) * 1000;
  return {};
}

Result<void> set_idle_timeout(Draft& draft, std::string_view text) {
  return set_seconds(draft.line.http.idle_timeout_ms, "--idle-timeout", text);
}

Result<void> set_request_timeout(Draft& draft, std::string_view text) {
  return set_seconds(draft.line.http.request_timeout_ms, "--request-timeout", text);
}

Result<void> set_region(Draft& draft, std::string_view text) {
  if (!auth::is_region(text))
    return misuse("--region takes a region, such as eu-west-1, not '" + std::string(text) + "'.");
  draft.line.http.region = text;
  return {};
}

Result<void> set_request_rate(Draft& draft, std::string_view text) {
  PARTITA_TRY(draft.line.request_rate, read_number("--request-rate", text, 1, 1'000'000));
  return {};
}

Result<void> set_root_400(Draft& draft, std::string_view) {
  draft.line.http.root_refuses = true;
  return {};
}

Result<void> set_insecure(Draft& draft, std::string_view) {
  draft.line.http.beyond_loopback = true;
  return {};
}

Result<void> add_allowed_origin(Draft& draft, std::string_view text) {
  const size_t scheme = text.find("://");
  const bool whole = scheme != std::string_view::npos && scheme > 0 && text.size() > scheme + 3 &&
                     text.find_first_of("/ \t", scheme + 3) == std::string_view::npos;
  if (text != "*" && text != "null" && !whole) {
    return misuse("--allow-origin takes an origin as browsers send it, such as http://localhost:3000, or '*', not '" +
                  std::string(text) + "'.");
  }
  draft.line.http.allowed_origins.emplace_back(text);
  return {};
}

Result<void> set_memory_budget(Draft& draft, std::string_view text) {
  PARTITA_TRY(const uint64_t mebibytes, read_number("--memory-budget", text, 16, 1 << 20));
  draft.line.http.memory_budget = mebibytes << 20;
  return {};
}

Result<void> set_vector_memory(Draft& draft, std::string_view text) {
  PARTITA_TRY(const uint64_t mebibytes, read_number("--vector-memory", text, 0, 1 << 20));
  draft.line.vector_bytes = mebibytes << 20;
  return {};
}

Result<void> set_log_level(Draft& draft, std::string_view text) {
  const auto level = log_level_named(text);
  if (!level) return misuse("--log-level takes error, warn, info or debug, not '" + std::string(text) + "'.");
  draft.line.log_level = *level;
  return {};
}

Result<void> set_clock(Draft& draft, std::string_view text) {
  constexpr std::string_view kUnits = "smhd";
  constexpr std::array<int64_t, 4> kSeconds{1, 60, 3'600, 86'400};
  constexpr uint64_t kMost = 100'000'000;
  const Error wrong =
      misuse("--clock takes seconds, or a number with s, m, h or d behind it, such as +90, -2h or +31d, not '" +
             std::string(text) + "'.");
  const bool back = text.starts_with('-');
  std::string_view rest = text.substr(back || text.starts_with('+') ? 1 : 0);
  const size_t unit = rest.empty() ? std::string_view::npos : kUnits.find(rest.back());
  if (unit != std::string_view::npos) rest.remove_suffix(1);
  const auto number = read_number("--clock", rest, 0, kMost);
  if (!number.ok()) return wrong;
  const int64_t seconds = static_cast<int64_t>(*number) * (unit == std::string_view::npos ? 1 : kSeconds[unit]);
  draft.line.clock_ms = (back ? -seconds : seconds) * 1'000;
  return {};
}

Result<void> set_slow_request(Draft& draft, std::string_view text) {
  PARTITA_TRY(const uint64_t milliseconds, read_number("--slow-request", text, 0, 86'400'000));
  draft.line.http.slow_request_ms = static_cast<int64_t>(milliseconds);
  return {};
}

Result<void> set_user(Draft& draft, std::string_view text) {
  draft.line.simulated.user = text;
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
    return misuse("--context takes KEY=VALUE, such as dynamodb:LeadingKeys=alice, not '" + std::string(text) + "'.");
  }
  draft.line.simulated.context.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  return {};
}

struct Flag {
  std::string_view name;
  std::string_view argument;  // empty: takes none
  std::string_view help;
  Result<void> (*set)(Draft&, std::string_view);
};

constexpr std::array kServeFlags = {
    Flag{"--listen", "HOST:PORT",
         "Where to listen (default localhost:8000, which is 127.0.0.1 and ::1). Port 0 takes a free one.", set_listen},
    Flag{"--insecure", "", "Listen beyond loopback too without --credentials, so that anyone may do anything.",
         set_insecure},
    Flag{"--credentials", "FILE",
         "Verify signatures: only these access keys may call. The file is as the AWS CLI's ~/.aws/credentials.",
         set_text<&CommandLine::credentials>},
    Flag{"--region", "REGION",
         "The region of all tables, in ARNs and policies (default us-east-1 with --credentials, else the one that a "
         "request is signed for).",
         set_region},
    Flag{"--identities", "FILE",
         "Users, groups and policies, as `aws iam get-account-authorization-details` writes them: the credentials' "
         "profiles are these users, and may do what their policies allow.",
         set_text<&CommandLine::identities>},
    Flag{"--warn-only", "", "Log what policies would refuse, and let it pass.", set_on<&CommandLine::warn_only>},
    Flag{"--tls-cert", "FILE",
         "Speak TLS, and nothing else, with this certificate: PEM, the chain behind it. SIGHUP reads it again.",
         set_text<&CommandLine::tls_cert>},
    Flag{"--tls-key", "FILE", "The certificate's key: PEM, without a passphrase.", set_text<&CommandLine::tls_key>},
    Flag{"--metrics-token", "FILE",
         "Who reads /metrics has to send the first line of this file as a bearer token. Without it they are for "
         "everybody, or with --credentials for nobody.",
         set_text<&CommandLine::metrics_token>},
    Flag{"--allow-origin", "ORIGIN",
         "Let web pages of this origin call, such as http://localhost:3000; '*' is all. May be given often.",
         add_allowed_origin},
    Flag{"--data", "DIR", "Where the data is; made if it is not there (default ./partita-data).", set_data},
    Flag{"--in-memory", "", "Keep everything in memory: nothing is left when the server stops.", set_in_memory},
    Flag{"--store", "URL", "Another place for the data than --data; the stores are listed below.", set_store},
    Flag{"--threads", "N",
         "Threads that serve connections (default: one for each processor that this process may use).", set_threads},
    Flag{
        "--max-connections", "N",
        "Connections at a time (default 10000, or fewer: a part of the open files is kept for the store). For one more "
        "the oldest idle one is closed.",
        set_max_connections},
    Flag{"--idle-timeout", "SECONDS", "How long a connection may be silent between two requests (default 120).",
         set_idle_timeout},
    Flag{"--request-timeout", "SECONDS",
         "How long a request's head, its body, and taking its reply may each take (default 30). Body and reply get a "
         "second more for each 256 KiB.",
         set_request_timeout},
    Flag{"--memory-budget", "MIB",
         "Memory for all requests together: bodies, what they are parsed to, and replies (default 512). Beyond it "
         "requests are answered 503.",
         set_memory_budget},
    Flag{"--vector-memory", "MIB",
         "Memory for graphs that make searches of many vectors fast (default 1024). Beyond it a search looks at every "
         "vector; 0 has all of them do so.",
         set_vector_memory},
    Flag{"--log-level", "LEVEL", "error, warn, info or debug (default info): how much is told on stderr.",
         set_log_level},
    Flag{"--slow-request", "MS", "Warn of requests that take as long as this (default 1000 milliseconds).",
         set_slow_request},
    Flag{
        "--request-rate", "N",
        "Requests a second that each user, or each key without --identities, may make. More are throttled, and SDKs try "
        "them again later.",
        set_request_rate},
    Flag{"--audit-log", "FILE",
         "Append a line of JSON for each call about tables: who, what, from where, and what came of it. SIGHUP has the "
         "file opened again.",
         set_text<&CommandLine::audit_log>},
    Flag{"--audit-data", "", "In the audit log, also calls about items.", set_on<&CommandLine::audit_data>},
    Flag{"--seed", "DIR",
         "Begin with the tables of DIR's *.json files, each what CreateTable takes, and the items of its TABLE.jsonl "
         "files, each line {\"Item\": {...}}. Tables that are there already are left alone.",
         set_text<&CommandLine::seed>},
    Flag{"--root-400", "", "Answer GET / with 400, as DynamoDB Local does and some tools wait for, not with 200.",
         set_root_400},
    Flag{"--clock", "OFFSET",
         "For development: run as if it were later, or earlier, by so many seconds, or +90m, -2h, +31d.", set_clock},
};

constexpr std::array kSalvageFlags = {
    Flag{"--data", "DIR", "Where the damaged store is; it is left as it is.", set_data},
    Flag{"--to", "NEWDIR", "Where to put what can be saved: a directory that is not there yet, or empty.",
         set_text<&CommandLine::to>},
};

constexpr std::array kSimulateFlags = {
    Flag{"--identities", "FILE", "Users, groups and policies, as `serve` takes them.",
         set_text<&CommandLine::identities>},
    Flag{"--user", "NAME", "Who asks.", set_user},
    Flag{"--action", "ACTION", "What for, such as dynamodb:GetItem.", set_action},
    Flag{"--resource", "ARN", "Of what: a table, an index or a stream.", set_resource},
    Flag{
        "--context", "KEY=VALUE",
        "What the request has for a condition key, such as dynamodb:LeadingKeys=alice. Given often: more keys, or more "
        "values of one.",
        add_context},
    Flag{"--resource-policy", "FILE", "The policy of the table or the stream.", set_resource_policy},
};

constexpr std::array kMcpFlags = {
    Flag{"--write", "", "Offer tools that change items and tables too, not only those that read.",
         set_on<&CommandLine::writes>},
    Flag{"--data", "DIR", "Where the data is (default ./partita-data); no server may be using it.", set_data},
    Flag{"--in-memory", "", "Begin with nothing, and leave nothing.", set_in_memory},
    Flag{"--store", "URL", "Another place for the data, as `serve` takes it.", set_store},
    Flag{"--seed", "DIR", "Begin with the tables and items of a directory, as `serve` does.",
         set_text<&CommandLine::seed>},
};

struct VerbRow {
  std::string_view name;
  Verb verb;
  std::string_view arguments;
  std::string_view help;
  std::span<const Flag> flags;
};

constexpr std::array kVerbs = {
    VerbRow{"serve", Verb::kServe, "[OPTION...]",
            "Serve DynamoDB's API over HTTP. Prints one line when ready; SIGTERM or SIGINT stops it cleanly.",
            kServeFlags},
    VerbRow{"copy",
            Verb::kCopy,
            "FROM TO",
            "Copy a store that no server uses to another place: directories, or stores as `serve --store` takes them. "
            "Interrupted, the same command goes on. Ends when all of it was read back and is the same.",
            {}},
    VerbRow{"salvage", Verb::kSalvage, "--data DIR --to NEWDIR",
            "Save what is readable of a damaged store into a new one, and list what is lost.", kSalvageFlags},
    VerbRow{"policy simulate", Verb::kSimulate,
            "--identities FILE --user NAME --action ACTION --resource ARN [OPTION...]",
            "Say whether policies allow a request, and if not, why not: exit code 0 or 1.", kSimulateFlags},
    VerbRow{"mcp", Verb::kMcp, "[OPTION...]",
            "Be a server of the Model Context Protocol on stdin and stdout, with DynamoDB's operations as tools.",
            kMcpFlags},
    VerbRow{"version", Verb::kVersion, "", "Print the version, the revision, and the formats of stores.", {}},
    VerbRow{"help", Verb::kHelp, "[VERB]", "Print how to use partita, or one of its verbs.", {}},
};

const VerbRow* find_verb(std::string_view name) {
  const auto* const found = std::ranges::find(kVerbs, name, &VerbRow::name);
  return found == kVerbs.end() ? nullptr : found;
}

// The verb that the words begin with, and how many words it is.
const VerbRow* find_verb(std::span<const char* const> words, size_t& count) {
  count = 1;
  const VerbRow* row = find_verb(words[0]);
  if (row == nullptr && words.size() > 1) {
    count = 2;
    row = find_verb(std::string(words[0]) + " " + words[1]);
  }
  return row;
}

bool asks_for_help(std::string_view word) { return word == "--help" || word == "-h"; }

Error unknown_verb(std::string_view word) {
  return misuse("There is no verb '" + std::string(word) + "'; `partita help` lists them.");
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
  if (flag == verb.flags.end()) {
    return misuse("`partita " + std::string(verb.name) + "` has no option '" + std::string(word) + "'; `partita help " +
                  std::string(verb.name) + "` lists them.");
  }
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

Result<std::string> store_of(const Draft& draft) {
  if (int{draft.data.has_value()} + int{draft.store.has_value()} + int{draft.in_memory} > 1) {
    return misuse("--data, --in-memory and --store each say where the data is: give one of them.");
  }
  if (draft.in_memory) return std::string("memory:");
  std::string store = draft.store ? *draft.store : "rocksdb:" + draft.data.value_or("./partita-data");
  PARTITA_TRY_VOID(check_store(store));
  return store;
}

Result<void> check_callers(const CommandLine& line) {
  if (!line.identities.empty() && line.credentials.empty()) {
    return misuse("--identities needs --credentials: who calls is known by their keys.");
  }
  if (line.warn_only && line.identities.empty()) return misuse("--warn-only is of no use without --identities.");
  if (line.request_rate != 0 && line.credentials.empty()) {
    return misuse("--request-rate needs --credentials: without them a client may call itself anything.");
  }
  if (line.audit_data && line.audit_log.empty()) return misuse("--audit-data is of no use without --audit-log.");
  if (line.tls_cert.empty() != line.tls_key.empty()) return misuse("--tls-cert and --tls-key need each other.");
  return {};
}

// FROM, then TO: a store's URL, or a directory.
Result<void> take_place(Draft& draft, std::string_view word) {
  std::string url(word);
  if (!check_store(url).ok()) {
    if (word.empty() || word.find("://") != std::string_view::npos) return check_store(url);
    url = "rocksdb:" + url;
  }
  if (scheme_of(url) == "memory") return misuse("What is in memory can not be copied.");
  std::string& place = draft.line.from.empty() ? draft.line.from : draft.line.to;
  if (!place.empty()) return misuse("`partita copy` takes two places, FROM and TO, and no third.");
  place = std::move(url);
  return {};
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
  const VerbRow* const row = find_verb(words, at);
  if (row == nullptr) return unknown_verb(words[0]);
  draft.line.verb = row->verb;
  draft.line.http.threads = usable_processors();
  while (at < words.size()) {
    if (asks_for_help(words[at])) {
      draft.line.verb = Verb::kHelp;
      draft.line.topic = row->name;
      return std::move(draft.line);
    }
    if (row->verb == Verb::kHelp && draft.line.topic.empty()) {
      size_t count = 0;
      const VerbRow* const topic = find_verb(words.subspan(at), count);
      if (topic == nullptr) return unknown_verb(words[at]);
      draft.line.topic = topic->name;
      at += count;
      continue;
    }
    if (row->verb == Verb::kCopy && !std::string_view(words[at]).starts_with('-')) {
      PARTITA_TRY_VOID(take_place(draft, words[at++]));
      continue;
    }
    PARTITA_TRY_VOID(read_flag(*row, words, at, draft));
  }
  if (row->verb == Verb::kServe) {
    PARTITA_TRY(draft.line.store, store_of(draft));
    PARTITA_TRY_VOID(check_callers(draft.line));
  }
  if (row->verb == Verb::kMcp) {
    PARTITA_TRY(draft.line.store, store_of(draft));
  }
  if (row->verb == Verb::kCopy && draft.line.to.empty()) {
    return misuse("`partita copy` needs two places: FROM and TO.");
  }
  if (row->verb == Verb::kSalvage) {
    draft.line.data = draft.data.value_or("");
    if (draft.line.data.empty() || draft.line.to.empty())
      return misuse("`partita salvage` needs --data DIR and --to NEWDIR.");
  }
  if (row->verb == Verb::kSimulate) {
    const Simulated& asked = draft.line.simulated;
    if (draft.line.identities.empty() || asked.user.empty() || asked.action.empty() || asked.resource.empty())
      return misuse("`partita policy simulate` needs --identities, --user, --action and --resource.");
  }
  return std::move(draft.line);
}

std::string help_text(std::string_view topic) {
  std::string text;
  const auto entry = [&](std::string left, std::string_view help) {
    constexpr size_t kColumn = 30;
    left.resize(std::max(kColumn, left.size() + 1), ' ');
    text.append(left).append(help).append("\n");
  };
  if (topic.empty()) {
    text = "partita: a DynamoDB that you own.\n\nUsage: partita VERB [OPTION...]\n\n";
    for (const VerbRow& row : kVerbs) entry("  " + std::string(row.name), row.help);
    text += "\n`partita VERB --help` says more about one.\n";
    return text;
  }
  const VerbRow* const row = find_verb(topic);
  PARTITA_CHECK(row != nullptr);
  text.append("Usage: partita ").append(row->name);
  if (!row->arguments.empty()) text.append(" ").append(row->arguments);
  text.append("\n\n").append(row->help).append("\n");
  if (!row->flags.empty()) text += "\nOptions:\n";
  for (const Flag& flag : row->flags) {
    entry("  " + std::string(flag.name) + (flag.argument.empty() ? "" : " ") + std::string(flag.argument), flag.help);
  }
  if (row->verb != Verb::kServe && row->verb != Verb::kCopy) return text;
  if (row->verb == Verb::kServe) entry("  --help", "Print this text.");
  text += "\nStores:\n";
  for (const EngineRow& engine : engines()) entry("  " + std::string(engine.url), engine.help);
  return text;
}

}  // namespace partita::app
