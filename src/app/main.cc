#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <system_error>

#include "app/serve.h"
#include "base/log.h"
#include "cli/help.h"
#include "cli/parser.h"
#include "cli/verbs.h"

namespace {

constexpr int kFailure = 1;
constexpr int kMisuse = 2;
constexpr int kLastWordsMs = 500;  // for the reader of stderr
constexpr char kNoMemory[] = "partita: There is not enough memory: raise its limit (ulimit -v, MemoryMax=).\n";

int complain(const partita::Error& error, int exit_code) {
  const std::string sentence(error.sentence());
  std::fprintf(stderr, "partita: %s\n", sentence.empty() ? "The store cannot be opened." : sentence.c_str());
  return exit_code;
}

int run(int count, char** words) {
  const std::span<const char* const> all(words, static_cast<size_t>(count));
  const auto line = partita::cli::read_command_line(all.subspan(all.empty() ? 0 : 1));
  if (!line.ok()) return complain(line.error(), kMisuse);
  constexpr partita::cli::Build kBuild{PARTITA_VERSION, PARTITA_REVISION};
  if (line->verb->run != nullptr) {
    const auto code = line->verb->run(*line, kBuild);
    return code.ok() ? *code : complain(code.error(), line->verb->error_code);
  }
  if (line->verb->name == partita::cli::kHelpVerb) {
    std::fputs(partita::cli::help_text(line->topic).c_str(), stdout);
    return 0;
  }
  const auto served = partita::app::serve(line->serve, kBuild);
  return served.ok() ? 0 : complain(served.error(), kFailure);
}

// Where an exception leaves a thread: the end of memory or of threads, met where nothing can go on. What was
// acknowledged is on disk.
[[noreturn]] void end_of_exception() {
  try {
    if (const std::exception_ptr failure = std::current_exception()) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    partita::log_last_words(kNoMemory);
    std::_Exit(kFailure);
  } catch (const std::system_error&) {
    partita::log_last_words("partita: The system refuses what Partita cannot go on without (threads, files).\n");
    std::_Exit(kFailure);
  } catch (...) {
    partita::log_last_words("partita: An exception was not caught.\n");
  }
  std::abort();
}

// Else a file of the store would become stdin, stdout or stderr where one of them is closed, and be written into.
void fill_closed_standard_files() {
  int file = 0;
  while (file >= 0 && file <= STDERR_FILENO) file = open("/dev/null", O_RDWR);
  if (file > STDERR_FILENO) close(file);
}

}  // namespace

// What no part of it could do without: the start of a server whose limits are too low ends here.
int main(int count, char** words) {
  fill_closed_standard_files();
  std::set_terminate(end_of_exception);
  int code = kFailure;
  try {
    code = run(count, words);
  } catch (const std::bad_alloc&) {
    partita::log_last_words(kNoMemory);
  } catch (const std::system_error& error) {
    partita::log_last_words("partita: The system refuses what Partita needs: " + error.code().message() + ".\n");
  }
  partita::flush_log(kLastWordsMs);
  return code;
}
