// Directories as destinations of changes.
#include <memory>
#include <utility>

#include "sinks/change_files.h"

namespace partita::sinks {

Result<std::unique_ptr<ChangeDestination>> make_file_destination(const ChangeSettings& settings,
                                                                 std::stop_token /*hurry*/) {
  auto options = settings.options;
  PARTITA_TRY(const ChangeFilesOptions taken, ChangeFilesOptions::take(options));
  if (!options.empty()) {
    return Error(ErrorKind::kInvalid,
                 "Files have no option " + options.begin()->first + ": max-mib, max-seconds or compression.");
  }
  if (!settings.credentials_file.empty() || !settings.authority_file.empty()) {
    return Error(ErrorKind::kInvalid, "A directory takes no credentials and no authorities.");
  }
  PARTITA_TRY(auto store, make_directory_store(settings.url));
  return std::unique_ptr<ChangeDestination>(
      std::make_unique<ChangeFiles>(settings, taken, std::move(store), system_clock()));
}

}  // namespace partita::sinks
