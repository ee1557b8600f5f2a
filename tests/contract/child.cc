#include "child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/check.h"

namespace partita::contract {

namespace {

constexpr char kDirectoryVariable[] = "PARTITA_CHILD_DIRECTORY";
constexpr int kReportFd = 3;

}  // namespace

Child start_child(const std::string& test, const std::string& directory) {
  int ends[2];
  PARTITA_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], kReportFd);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  std::string filter = "--gtest_filter=Child.DISABLED_" + test;
  std::string also = "--gtest_also_run_disabled_tests";
  char* const arguments[] = {program.data(), filter.data(), also.data(), nullptr};
  setenv(kDirectoryVariable, directory.c_str(), 1);
  Child child{};
  PARTITA_CHECK(posix_spawn(&child.pid, program.c_str(), &actions, nullptr, arguments, environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  child.reports = ends[0];
  return child;
}

int follow(const Child& child, const std::function<void(std::string_view line)>& on_line) {
  std::string line;
  char buffer[4096];
  for (ssize_t size; (size = read(child.reports, buffer, sizeof buffer)) > 0;) {
    for (ssize_t i = 0; i < size; ++i) {
      if (buffer[i] != '\n') {
        line.push_back(buffer[i]);
        continue;
      }
      on_line(line);
      line.clear();
    }
  }
  close(child.reports);
  int status = 0;
  waitpid(child.pid, &status, 0);
  return status;
}

std::string child_directory() {
  const char* directory = std::getenv(kDirectoryVariable);
  PARTITA_CHECK(directory != nullptr);
  return directory;
}

void report(std::string_view line) {
  const std::string whole = std::string(line) + "\n";
  PARTITA_CHECK(write(kReportFd, whole.data(), whole.size()) == static_cast<ssize_t>(whole.size()));
}

}  // namespace partita::contract
