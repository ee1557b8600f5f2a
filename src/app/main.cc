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
#include "cli/account_verbs.h"
#include "cli/backup.h"
#include "cli/command_line.h"
#include "cli/copy.h"
#include "cli/help.h"
#include "cli/mcp.h"
#include "cli/operate.h"
#include "cli/salvage.h"
#include "cli/simulate.h"
#include "cli/status.h"
#include "cli/verify.h"
#include "engines/stores.h"

namespace {

constexpr int kFailure = 1;
constexpr int kMisuse = 2;
constexpr int kLastWordsMs = 500;  // for the reader of stderr
constexpr int kLosses = 3;         // of `salvage`: all that is readable is saved, and something is lost
constexpr char kNoMemory[] = "partita: There is not enough memory: raise its limit (ulimit -v, MemoryMax=).\n";

int complain(const partita::Error& error, int exit_code) {
  const std::string sentence(error.sentence());
  std::fprintf(stderr, "partita: %s\n", sentence.empty() ? "The store cannot be opened." : sentence.c_str());
  return exit_code;
}

int run(int count, char** words) {
  using namespace partita::cli;
  const std::span<const char* const> all(words, static_cast<size_t>(count));
  const auto line = read_command_line(all.subspan(all.empty() ? 0 : 1));
  if (!line.ok()) return complain(line.error(), kMisuse);
  switch (line->verb) {
    case Verb::kHelp:
      std::fputs(help_text(line->topic).c_str(), stdout);
      return 0;
    case Verb::kVersion:
      std::puts("partita " PARTITA_VERSION "\nrevision " PARTITA_REVISION);
      for (const partita::EngineRow& engine : partita::engines()) {
        if (engine.format != 0) std::printf("format %u of %s\n", engine.format, std::string(engine.url).c_str());
      }
      return 0;
    case Verb::kCopy: {
      const auto copied = copy(*line);
      return copied.ok() ? 0 : complain(copied.error(), kFailure);
    }
    case Verb::kBackup:
    case Verb::kListBackups:
    case Verb::kPruneBackups:
    case Verb::kRestore: {
      const auto done = line->verb == Verb::kBackup         ? back_up(*line)
                        : line->verb == Verb::kListBackups  ? list_backups(*line)
                        : line->verb == Verb::kPruneBackups ? prune_backups(*line)
                                                            : restore(*line);
      return done.ok() ? 0 : complain(done.error(), kFailure);
    }
    case Verb::kVerify: {
      const auto well = verify(*line);
      return !well.ok() ? complain(well.error(), kFailure) : *well ? 0 : kFailure;
    }
    case Verb::kSalvage: {
      const auto saved = salvage(*line);
      return !saved.ok() ? complain(saved.error(), kFailure) : *saved ? 0 : kLosses;
    }
    case Verb::kSimulate: {
      const auto allowed = simulate(*line);
      return !allowed.ok() ? complain(allowed.error(), kMisuse) : *allowed ? 0 : kFailure;
    }
    case Verb::kMcp: {
      const auto ended = mcp(*line, PARTITA_VERSION);
      return ended.ok() ? 0 : complain(ended.error(), kFailure);
    }
    case Verb::kAccount: {
      const auto done = run_account_verb(*line);
      return done.ok() ? 0 : complain(done.error(), kFailure);
    }
    case Verb::kStatus: {
      const auto told = status(*line);
      return told.ok() ? 0 : complain(told.error(), kFailure);
    }
    case Verb::kOperate: {
      const auto done = operate(*line);
      return done.ok() ? 0 : complain(done.error(), kFailure);
    }
    case Verb::kServe:
      break;
  }
  const auto served = partita::app::serve(*line, PARTITA_VERSION, PARTITA_REVISION);
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
