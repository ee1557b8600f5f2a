#include "cli/parser.h"

#include <gtest/gtest.h>

#include <vector>

#include "cli/help.h"
#include "cli/verbs.h"

namespace partita::cli {
namespace {

Result<CommandLine> read(std::vector<const char*> words) { return read_command_line(words); }

std::string refusal(std::vector<const char*> words) {
  const auto line = read_command_line(words);
  return line.ok() ? "" : std::string(line.error().sentence());
}

TEST(CommandLine, CopiesBetweenDirectoriesAndStores) {
  const auto line = read({"copy", "./old", "postgres://db/partita"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->verb->name, "copy");
  EXPECT_EQ(line->copy.from, "rocksdb:./old");
  EXPECT_EQ(line->copy.to, "postgres://db/partita");
  EXPECT_NE(refusal({"copy", "./old"}).find("FROM and TO"), std::string::npos);
  EXPECT_NE(refusal({"copy", "a", "b", "c"}).find("no third"), std::string::npos);
  EXPECT_NE(refusal({"copy", "memory:", "b"}).find("in-memory"), std::string::npos);
  EXPECT_NE(refusal({"copy", "mysql://x/y", "b"}).find("There is no store"), std::string::npos);
  EXPECT_NE(refusal({"copy", "a", "b", "--fast"}).find("no option"), std::string::npos);
  EXPECT_NE(help_text("copy").find("postgresql://"), std::string::npos);
}

TEST(CommandLine, HasDefaults) {
  const auto line = read({"serve"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->verb->name, "serve");
  EXPECT_EQ(line->serve.http.address, "");
  EXPECT_FALSE(line->serve.http.beyond_loopback);
  EXPECT_TRUE(line->serve.http.allowed_origins.empty());
  EXPECT_EQ(line->serve.http.memory_budget, size_t{512} << 20);
  EXPECT_EQ(line->serve.log.level, LogLevel::kInfo);
  EXPECT_EQ(line->serve.http.port, 8000);
  EXPECT_GE(line->serve.http.threads, 1u);
  EXPECT_EQ(line->serve.store.url, "rocksdb:./partita-data");
}

TEST(CommandLine, ReadsEveryOption) {
  const auto line = read({"serve",
                          "--listen",
                          "0.0.0.0:0",
                          "--data=/tmp/x",
                          "--threads",
                          "3",
                          "--max-connections=9",
                          "--idle-timeout",
                          "7",
                          "--request-timeout",
                          "2",
                          "--insecure",
                          "--memory-budget",
                          "64",
                          "--vector-memory=5",
                          "--log-level=debug",
                          "--slow-request",
                          "5",
                          "--allow-origin",
                          "http://a:1",
                          "--allow-origin",
                          "null",
                          "--no-console"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->serve.http.address, "0.0.0.0");
  EXPECT_EQ(line->serve.http.port, 0);
  EXPECT_EQ(line->serve.http.threads, 3u);
  EXPECT_EQ(line->serve.http.max_connections, 9u);
  EXPECT_EQ(line->serve.http.idle_timeout_ms, 7000);
  EXPECT_EQ(line->serve.http.request_timeout_ms, 2000);
  EXPECT_TRUE(line->serve.http.beyond_loopback);
  EXPECT_EQ(line->serve.store.vector_bytes, size_t{5} << 20);
  EXPECT_EQ(line->serve.http.memory_budget, size_t{64} << 20);
  EXPECT_EQ(line->serve.log.level, LogLevel::kDebug);
  EXPECT_EQ(line->serve.log.slow_request_ms, 5);
  EXPECT_EQ(line->serve.http.allowed_origins, (std::vector<std::string>{"http://a:1", "null"}));
  EXPECT_EQ(line->serve.store.url, "rocksdb:/tmp/x");
  EXPECT_TRUE(line->serve.no_console);
  EXPECT_FALSE(read({"serve"})->serve.no_console);
}

TEST(CommandLine, ReadsAddresses) {
  const auto six = read({"serve", "--listen", "[::1]:80"});
  ASSERT_TRUE(six.ok());
  EXPECT_EQ(six->serve.http.address, "::1");
  const auto local = read({"serve", "--listen", "localhost:80"});
  ASSERT_TRUE(local.ok());
  EXPECT_EQ(local->serve.http.address, "localhost");
  for (const char* bare : {"::1", "::1:8000", "fe80::1"}) {
    EXPECT_NE(refusal({"serve", "--listen", bare}).find("[::1]:8000"), std::string::npos) << bare;
  }
}

TEST(CommandLine, ReadsAddressesOfDax) {
  const auto none = read({"serve"});
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->serve.dax.plain || none->serve.dax.encrypted);
  EXPECT_EQ(none->serve.dax.cache_bytes, 0u);
  EXPECT_EQ(read({"serve", "--dax", "a:1", "--dax-cache", "5"})->serve.dax.cache_bytes, size_t{5} << 20);
  const auto one = read(
      {"serve", "--dax", "[::1]:8111", "--dax-advertise", "[2001:db8::1]:8112", "--dax-advertise", "db.example.com"});
  ASSERT_TRUE(one.ok());
  ASSERT_TRUE(one->serve.dax.plain);
  EXPECT_EQ(one->serve.dax.plain->address, "::1");
  EXPECT_EQ(one->serve.dax.plain->port, 8111);
  ASSERT_EQ(one->serve.dax.advertised.size(), 2u);
  EXPECT_EQ(one->serve.dax.advertised[0].host, "2001:db8::1");
  EXPECT_EQ(one->serve.dax.advertised[0].port, 8112);
  EXPECT_EQ(one->serve.dax.advertised[1].host, "db.example.com");
  EXPECT_EQ(one->serve.dax.advertised[1].port, 0);
  EXPECT_TRUE(read({"serve", "--dax", "a:1", "--dax-tls", "a:2", "--tls-cert", "c", "--tls-key", "k", "--dax-advertise",
                    "[::1]"})
                  .ok());
}

TEST(CommandLine, MovesTheClock) {
  const std::pair<const char*, int64_t> offsets[] = {{"90", 90},          {"+90s", 90}, {"-2h", -7'200},
                                                     {"+31d", 2'678'400}, {"5m", 300},  {"0", 0}};
  for (const auto& [text, seconds] : offsets) {
    const auto line = read({"serve", "--clock", text});
    ASSERT_TRUE(line.ok()) << text;
    EXPECT_EQ(line->serve.development.clock_ms, seconds * 1000) << text;
  }
  for (const char* wrong : {"+", "-", "h", "1w", "1.5h", "+-1", "100000001d", "-20790d", "-999999d", "+99999999d"}) {
    EXPECT_NE(refusal({"serve", "--clock", wrong}).find("--clock takes"), std::string::npos) << wrong;
  }
}

TEST(CommandLine, SaysNoPasswords) {
  const std::string url = "postgresql://u:PW@h/x";
  const std::vector<std::vector<const char*>> lines = {
      {"serve", "--data", url.c_str()},
      {"serve", url.c_str()},
      {"serve", "--store", "host=h password=PW"},
      {"serve", "--store", "oracle://u:PW@h/x"},
      {"serve", "--data", "host=h password=PW"},
      {"serve", "--trace-to", "http://u:PW@h"},
      {"serve", "--alarm-hook", "http://u:PW@h"},
      {"serve", "--allow-origin", "http://u:PW@h/"},
      {"serve", "--listen", "u:PW@h"},
      {"status", "http://u:PW@h"},
      {"snapshot", "create", "n", "http://u:PW@h"},
      {"user", "list", "--data", "http://u:PW@h"},
      {"copy", "host=h password=PW", "d"},
      {"backup", "list", "http://u:PW@h"},
      {"mcp", url.c_str()},
      {url.c_str()},
      {"verify", "-u:PW@h"},
  };
  for (const auto& words : lines) {
    const auto line = read_command_line(words);
    ASSERT_FALSE(line.ok()) << words.back();
    EXPECT_EQ(line.error().sentence().find("PW"), std::string_view::npos) << line.error().sentence();
    EXPECT_TRUE(line.error().sentence().ends_with('.')) << line.error().sentence();
  }
  for (const char* place : {"memory:", "fdb:", "fdb:/f", "rocksdb:d", "postgres:x", "http://h"}) {
    EXPECT_EQ(refusal({"serve", "--data", place}), "--data takes a directory. Give a store's URL as --store URL.");
  }
  EXPECT_EQ(refusal({"serve", url.c_str()}), "`partita serve` takes a store's URL as --store URL.");
  EXPECT_EQ(refusal({"status", "http://u:PW@h"}),
            "Name a server by its data directory or its administration socket, not by 'http:...'.");
  EXPECT_EQ(read({"status", url.c_str()})->status.server, url);  // who asks there is told where to ask
  EXPECT_EQ(read({"serve", "--data", "a=b@c:d"})->serve.store.url, "rocksdb:a=b@c:d");
}

TEST(CommandLine, RefusesEmptyWords) {
  EXPECT_EQ(refusal({"snapshot", "delete", "", "clean"}),
            "Word 1 behind `partita snapshot delete` is empty: it takes NAME [DIR|SOCKET] [--namespace NAME].");
  EXPECT_NE(refusal({"snapshot", "create", "clean", ""}).find("Word 2 behind"), std::string::npos);
  for (const char* verb : {"status", "copy", "verify", "help"}) {
    EXPECT_NE(refusal({verb, ""}).find("Word 1 behind `partita " + std::string(verb) + "` is empty"),
              std::string::npos);
  }
  EXPECT_NE(refusal({"namespace", "drop", "", "d"}).find("Word 1 behind"), std::string::npos);
  EXPECT_NE(refusal({"policy", "put", "user", "alice", "", "f"}).find("Word 3 behind"), std::string::npos);
}

TEST(CommandLine, ChoosesStores) {
  const auto memory = read({"serve", "--in-memory"});
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(memory->serve.store.url, "memory:");
  const auto other = read({"serve", "--store", "rocksdb:/a/b"});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->serve.store.url, "rocksdb:/a/b");
  EXPECT_NE(refusal({"serve", "--store", "memory:", "--data", "x"}), "");
  EXPECT_NE(refusal({"serve", "--data", "x", "--in-memory"}), "");
  EXPECT_NE(refusal({"serve", "--store", "memory:", "--in-memory"}), "");
  EXPECT_NE(refusal({"serve", "--store", "oracle:x"}), "");
}

TEST(CommandLine, ReadsWhatToSalvage) {
  const auto line = read({"salvage", "--data", "/a", "--to=/b"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->verb->name, "salvage");
  EXPECT_EQ(line->salvage.from, "/a");
  EXPECT_EQ(line->salvage.to, "/b");
}

TEST(CommandLine, ReadsWhatToBackUpRestoreAndVerify) {
  const auto backup = read({"backup", "data", "/b", "--keep", "3", "--mend"});
  ASSERT_TRUE(backup.ok());
  EXPECT_EQ(backup->verb->name, "backup");
  EXPECT_EQ(backup->backup.store, "rocksdb:data");
  EXPECT_EQ(backup->backup.directory, "/b");
  EXPECT_EQ(backup->backup.keep, 3u);
  EXPECT_TRUE(backup->backup.mends);
  EXPECT_FALSE(read({"backup", "data", "/b"})->backup.mends);
  const auto list = read({"backup", "list", "/b"});
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->verb->name, "backup list");
  EXPECT_EQ(list->backup.directory, "/b");
  EXPECT_EQ(read({"backup", "./list", "/b"})->verb->name, "backup");
  EXPECT_EQ(read({"restore", "/b", "rocksdb:/new"})->backup.to, "/new");
  EXPECT_EQ(refusal({"restore", "/b", "postgresql://u:secret@h/d"}),
            "postgresql://u@h/d is no directory. Restore into a directory, then use `partita copy DIR URL`.");
  EXPECT_EQ(refusal({"backup", "list", "fdb:/f"}),
            "fdb:/f is no directory. A store in FoundationDB is backed up by FoundationDB: use fdbbackup.");
  const auto prune = read({"backup", "prune", "--keep=2", "/b"});
  ASSERT_TRUE(prune.ok());
  EXPECT_EQ(prune->verb->name, "backup prune");
  EXPECT_EQ(prune->backup.keep, 2u);
  const auto restore = read({"restore", "/b", "new", "--backup", "7"});
  ASSERT_TRUE(restore.ok());
  EXPECT_EQ(restore->verb->name, "restore");
  EXPECT_EQ(restore->backup.directory, "/b");
  EXPECT_EQ(restore->backup.to, "new");
  EXPECT_EQ(restore->backup.id, 7u);
  const auto verify = read({"verify", "postgresql://host/db"});
  ASSERT_TRUE(verify.ok());
  EXPECT_EQ(verify->backup.store, "postgresql://host/db");
  EXPECT_EQ(verify->backup.directory, "");
}

TEST(CommandLine, RefusesMisuse) {
  for (const std::vector<const char*>& words : std::vector<std::vector<const char*>>{
           {},
           {"sreve"},
           {"help", "sreve"},
           {"serve", "--port", "1"},
           {"serve", "more"},
           {"serve", "--threads"},
           {"serve", "--threads", "0"},
           {"serve", "--threads", "1x"},
           {"serve", "--listen", "8000"},
           {"serve", "--listen", ":8000"},
           {"serve", "--listen", "[]:8000"},
           {"serve", "--listen", "[::1]"},
           {"serve", "--listen", "[::1:8000"},
           {"serve", "--listen", "[::1]x:8000"},
           {"serve", "--listen", "a:70000"},
           {"serve", "--dax", "8111"},
           {"serve", "--dax-tls", "a:9111"},
           {"serve", "--dax-advertise", "a"},
           {"serve", "--dax-cache", "5"},
           {"serve", "--dax", "a:1", "--dax-cache", "x"},
           {"serve", "--dax", "a:1", "--dax-advertise", ""},
           {"serve", "--dax", "a:1", "--dax-advertise", "::1"},
           {"serve", "--dax", "a:1", "--dax-advertise", "[::1"},
           {"serve", "--dax", "a:1", "--dax-advertise", "[::1]1"},
           {"serve", "--dax", "a:1", "--dax-advertise", "a:"},
           {"serve", "--dax", "a:1", "--dax-advertise", "a:0"},
           {"serve", "--dax", "a:1", "--dax-advertise", "0.0.0.0:8111"},
           {"serve", "--dax", "a:1", "--dax-advertise", "[::]"},
           {"serve", "--dax", "a:1", "--dax-tls", "a:2", "--tls-cert", "c", "--tls-key", "k", "--dax-advertise", "a:3"},
           {"serve", "--in-memory=yes"},
           {"serve", "--data", ""},
           {"serve", "--memory-budget", "0"},
           {"serve", "--log-level", "loud"},
           {"serve", "--log-format", "xml"},
           {"serve", "--allow-origin", "localhost"},
           {"serve", "--allow-origin", "http://a/b"},
           {"serve", "--insecure=no"},
           {"serve", "--identities", "users.json"},
           {"serve", "--credentials", "keys", "--identities", ""},
           {"serve", "--users", "--identities", "users"},
           {"version", "please"},
           {"policy"},
           {"policy", "simulate"},
           {"policy", "simulate", "--context", "a"},
           {"backup"},
           {"backup", "data"},
           {"backup", "data", "/b", "more"},
           {"backup", "data", "/b", "--keep", "0"},
           {"backup", "prune", "/b", "--keep", "1", "--mend"},
           {"backup", "data", ""},
           {"backup", "oracle://x", "/b"},
           {"backup", "list"},
           {"backup", "list", "/b", "more"},
           {"backup", "prune", "/b"},
           {"restore", "/b"},
           {"restore", "/b", "new", "more"},
           {"restore", "/b", "new", "--backup", "x"},
           {"verify"},
           {"verify", "data", "more"},
           {"verify", "data", "--backup", "1"},
           {"salvage"},
           {"salvage", "--data", "x"},
           {"salvage", "--to", "y"},
       }) {
    const std::string sentence = refusal(words);
    EXPECT_TRUE(sentence.ends_with('.')) << sentence;
  }
}

TEST(CommandLine, ADirectoryMayBeNamedLikeAnEngine) {
  for (const char* name : {"memory", "rocksdb", "fdb", "postgresql"}) {
    const auto listed = read({"backup", "list", name});
    ASSERT_TRUE(listed.ok()) << name;
    EXPECT_EQ(listed->backup.directory, name);
    const auto backup = read({"backup", name, "/b"});
    ASSERT_TRUE(backup.ok()) << name;
    EXPECT_EQ(backup->backup.store, "rocksdb:" + std::string(name));
  }
}

TEST(CommandLine, SuggestsWhatIsClose) {
  EXPECT_EQ(refusal({"sreve"}), "There is no verb 'sreve'. Did you mean 'serve'? `partita help` lists the verbs.");
  EXPECT_EQ(refusal({"help", "bakcup"}),
            "There is no verb 'bakcup'. Did you mean 'backup'? `partita help` lists the verbs.");
  EXPECT_EQ(refusal({"dance"}), "There is no verb 'dance'. `partita help` lists the verbs.");
  EXPECT_EQ(refusal({"serve", "--prot", "1"}),
            "`partita serve` has no option '--prot'. `partita help serve` lists the options.");
  EXPECT_EQ(refusal({"serve", "-port", "8000"}),
            "`partita serve` has no option '-port'. Did you mean '--listen'? `partita help serve` lists the options.");
  EXPECT_EQ(refusal({"serve", "data"}),
            "`partita serve` takes no argument 'data'. `partita help serve` lists the options.");
  EXPECT_EQ(refusal({"serve", "--in-memroy"}),
            "`partita serve` has no option '--in-memroy'. Did you mean '--in-memory'? `partita help serve` lists the "
            "options.");
  EXPECT_EQ(refusal({"user", "craete", "alice"}),
            "`partita user` has no verb 'craete'. Did you mean 'create'? `partita help user` lists its verbs.");
  EXPECT_EQ(refusal({"user"}), "`partita user` needs a second word. `partita help user` lists its verbs.");
}

TEST(CommandLine, SimulatesActionsOfServices) {
  EXPECT_EQ(refusal({"policy", "simulate", "--identities", "f", "--data", "d", "--user", "u", "--resource", "*",
                     "--action", "s:A"}),
            "--identities evaluates a file, and --data asks a server: give one of them.");
  EXPECT_EQ(refusal({"policy", "simulate", "--identities", "f", "--user", "u", "--resource", "*", "--action", "Scan"}),
            "--action takes SERVICE:ACTION, such as dynamodb:Scan, not 'Scan'.");
}

}  // namespace
}  // namespace partita::cli
