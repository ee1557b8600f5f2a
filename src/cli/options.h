// What the options of verbs are read with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/command_line.h"

namespace partita::cli {

// How `serve` was asked to store, until all words are read.
struct Draft {
  CommandLine line;
  std::optional<std::string> data;
  std::optional<std::string> store;
  bool in_memory = false;
};

struct Flag {
  std::string_view name;
  std::string_view argument;  // empty: takes none
  std::string_view help;
  Result<void> (*set)(Draft&, std::string_view);
};

// A word as sentences have it, in quotes: of one that may hold a password only how it begins.
std::string quoted(std::string_view word);
// Whether it looks like a store's URL, or like the words of libpq that name one, and not like a directory.
bool names_store(std::string_view word);

// Errors of all: kInvalid (reason 0), with one sentence.
Error misuse(std::string sentence);
// check_store(), whose sentence has no password.
Result<void> check_url(std::string_view url);
Result<uint64_t> read_number(std::string_view flag, std::string_view text, uint64_t least, uint64_t most);
// Seconds, of a number with s, m, h or d behind it, or nothing, and perhaps a sign before it.
Result<int64_t> read_offset(std::string_view flag, std::string_view text);

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

Result<void> set_data(Draft& draft, std::string_view text);
Result<void> set_in_memory(Draft& draft, std::string_view text);
Result<void> set_store(Draft& draft, std::string_view text);
// The URL of the store that these three gave.
Result<std::string> store_of(const Draft& draft);

// Of `serve`, and whether those that were given go together, with the rest of the line read from them.
std::span<const Flag> serve_flags();
Result<void> finish_serve(Draft& draft);

}  // namespace partita::cli
