// Reading the options of verbs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"
#include "cli/command_line.h"

namespace partita::cli {

// The directory of the data if no option names one.
inline constexpr std::string_view kDefaultData = "./partita-data";

// The command line while it is read.
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
  Result<void> (*set)(Draft&, const Flag&, std::string_view);
};

// `word` in quotes. A word that may hold a password is cut off before it.
std::string quoted(std::string_view word);
// Whether `word` looks like a store's URL or a connection string of libpq, and not like a directory.
bool names_store(std::string_view word);

// Errors of all: kInvalid (reason 0), with one sentence.
Error misuse(std::string sentence);
// Of a server: the directory of its data, or its socket. A store's URL is refused, with what to name instead.
Result<std::string> server_named(std::string_view word);
// As check_store(), without passwords in the sentence.
Result<void> check_url(std::string_view url);
Result<uint64_t> read_number(std::string_view flag, std::string_view text, uint64_t least, uint64_t most);
// Seconds: an optional sign, a number, and s (or nothing), m, h or d.
Result<int64_t> read_offset(std::string_view flag, std::string_view text);

// Setters of one field: kField is PARTITA_OPTION(path), the path of a member below CommandLine.
#define PARTITA_OPTION(path) [](Draft& draft) -> auto& { return draft.line.path; }

template <auto kField>
Result<void> set_text(Draft& draft, const Flag&, std::string_view text) {
  kField(draft) = text;
  return {};
}

template <auto kField>
Result<void> set_on(Draft& draft, const Flag&, std::string_view) {
  kField(draft) = true;
  return {};
}

// A number of `kUnit`s in a field that counts ones.
template <auto kField, uint64_t kLeast, uint64_t kMost, uint64_t kUnit = 1>
Result<void> set_number(Draft& draft, const Flag& flag, std::string_view text) {
  PARTITA_TRY(const uint64_t number, read_number(flag.name, text, kLeast, kMost));
  auto& field = kField(draft);
  field = static_cast<std::remove_reference_t<decltype(field)>>(number * kUnit);
  return {};
}

inline constexpr auto set_data = set_text<[](Draft& draft) -> auto& { return draft.data; }>;
inline constexpr Flag kServerFlag{
    "--data", "DIR",
    "The running server to ask: its data directory (default ./partita-data) or its administration socket.", set_data};
inline constexpr auto set_store = set_text<[](Draft& draft) -> auto& { return draft.store; }>;
inline constexpr auto set_in_memory = set_on<[](Draft& draft) -> auto& { return draft.in_memory; }>;
// The URL of the store that --data, --in-memory and --store name.
Result<std::string> store_of(const Draft& draft);

}  // namespace partita::cli
