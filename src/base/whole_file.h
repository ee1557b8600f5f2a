// Reading a whole file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace partita {

// All bytes of a small file. Blocks. Error: kUnavailable, with one sentence that consists of `called`, the file's name
// and the reason.
Result<std::string> read_whole_file(const std::filesystem::path& file, std::string_view called = "The file");

// The same for files that others may have put there. Another error is that it is no regular file, such as a pipe, for
// which a reader would wait, or that it has more than `most` bytes.
Result<std::string> read_regular_file(const std::filesystem::path& file, size_t most,
                                      std::string_view called = "The file");

}  // namespace partita
