// Reading a whole file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace partita {

// All bytes of a small file. Blocks. Error: kUnavailable, with one sentence that consists of `called`, the file's name
// and the reason.
Result<std::string> read_whole_file(const std::filesystem::path& file, std::string_view called = "The file");

}  // namespace partita
