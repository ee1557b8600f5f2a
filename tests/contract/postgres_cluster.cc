#include "postgres_cluster.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <thread>

#include "base/check.h"

namespace partita::contract {

namespace {

using namespace std::chrono_literals;

// Debian keeps the servers' programs of each version in a directory of their own.
std::filesystem::path find_programs() {
  std::filesystem::path newest;
  std::error_code none;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
    const std::filesystem::path programs = version.path() / "bin";
    if (std::filesystem::exists(programs / "initdb") && programs > newest) newest = programs;
  }
  if (newest.empty()) std::cerr << "There is no PostgreSQL here: install what packages.txt names.\n";
  PARTITA_CHECK(!newest.empty());
  return newest;
}

const passwd* unprivileged_user() {
  if (geteuid() != 0) return nullptr;
  const passwd* user = getpwnam("postgres");
  if (user == nullptr) user = getpwnam("nobody");
  PARTITA_CHECK(user != nullptr);
  return user;
}

int wait_for_end(pid_t process) {
  int status = 0;
  PARTITA_CHECK(waitpid(process, &status, 0) == process);
  return status;
}

}  // namespace

PostgresCluster::PostgresCluster(bool durable) : programs_(find_programs()), durable_(durable) {
  std::string name = (std::filesystem::temp_directory_path() / "partita-pg-XXXXXX").string();
  PARTITA_CHECK(mkdtemp(name.data()) != nullptr);
  directory_ = name;
  if (const passwd* const user = unprivileged_user()) {
    PARTITA_CHECK(chown(name.c_str(), user->pw_uid, user->pw_gid) == 0);
  }
  const int made = wait_for_end(spawn({programs_ / "initdb", "-D", directory_ / "data", "-U", "partita", "-A", "trust",
                                       "--no-sync", "--no-instructions", "-E", "UTF8", "--locale=C"}));
  PARTITA_CHECK(made == 0);
  start();
}

PostgresCluster::~PostgresCluster() {
  stop(SIGINT);
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

PostgresCluster& PostgresCluster::shared() {
  static PostgresCluster cluster;
  return cluster;
}

pid_t PostgresCluster::spawn(std::vector<std::string> command) const {
  std::vector<std::string> as_user{"setpriv", "--pdeathsig=QUIT"};
  if (const passwd* const user = unprivileged_user()) {
    as_user.push_back("--reuid=" + std::to_string(user->pw_uid));
    as_user.push_back("--regid=" + std::to_string(user->pw_gid));
    as_user.emplace_back("--clear-groups");
  }
  as_user.emplace_back("--");
  command.insert(command.begin(), as_user.begin(), as_user.end());
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string log = directory_ / "log";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = 0;
  PARTITA_CHECK(posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  return process;
}

std::string PostgresCluster::url() const { return "postgresql:///postgres?user=partita&host=" + directory_.string(); }

void PostgresCluster::start() {
  const std::vector<std::string> command{programs_ / "postgres",
                                         "-D",
                                         directory_ / "data",
                                         "-k",
                                         directory_,
                                         "-c",
                                         "listen_addresses=",
                                         "-c",
                                         durable_ ? "fsync=on" : "fsync=off",
                                         "-c",
                                         "shared_buffers=64MB",
                                         "-c",
                                         "max_wal_size=256MB"};
  for (int i = 0; i < 600 && PQping(url().c_str()) != PQPING_OK; ++i) {
    // None starts while processes of one that was killed are left.
    if (server_ == 0 || waitpid(server_, nullptr, WNOHANG) == server_) server_ = spawn(command);
    std::this_thread::sleep_for(50ms);
  }
  PARTITA_CHECK(PQping(url().c_str()) == PQPING_OK);
}

void PostgresCluster::kill() { stop(SIGKILL); }

void PostgresCluster::stop(int signal) {
  if (server_ == 0) return;
  ::kill(server_, signal);
  wait_for_end(server_);
  server_ = 0;
}

std::string PostgresCluster::new_store() {
  const std::string schema = "store" + std::to_string(++stores_);
  execute(url(), "CREATE SCHEMA " + schema);
  return url() + "&options=-csearch_path%3D" + schema;
}

void PostgresCluster::execute(const std::string& url, const std::string& sql) {
  PGconn* const session = PQconnectdb(url.c_str());
  PGresult* const result = PQexec(session, sql.c_str());
  const bool done = PQresultStatus(result) == PGRES_COMMAND_OK;
  if (!done) std::cerr << PQerrorMessage(session);
  PARTITA_CHECK(done);
  PQclear(result);
  PQfinish(session);
}

int64_t PostgresCluster::entries_read(const std::string& url) {
  PGconn* const session = PQconnectdb(url.c_str());
  const auto number = [session](const char* sql) {
    PGresult* const result = PQexec(session, sql);
    PARTITA_CHECK(PQntuples(result) == 1);
    const int64_t value = std::stoll(PQgetvalue(result, 0, 0));
    PQclear(result);
    return value;
  };
  // A connection counts for all when it ends, which is a moment after its client has left.
  while (number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'partita'") > 0) {
    std::this_thread::sleep_for(10ms);
  }
  const int64_t entries =
      number("SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = current_schema");
  PQfinish(session);
  return entries;
}

}  // namespace partita::contract
