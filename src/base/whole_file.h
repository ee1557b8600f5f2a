// The bytes of a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace partita {

// All of them: for a file that is small. Blocks. Error: kUnavailable, with one sentence that names the file, behind
// `called`, and the reason.
Result<std::string> read_whole_file(const std::filesystem::path& file, std::string_view called = "The file");

}  // namespace partita
