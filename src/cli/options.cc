#include "cli/options.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "engines/stores.h"

namespace partita::cli {

std::string quoted(std::string_view word) {
  if (word.find_first_of("@=") == std::string_view::npos) return "'" + std::string(word) + "'";
  const size_t end = word.find_first_of(":=@");
  return "'" + std::string(word.substr(0, word[end] == '@' ? 0 : end + 1)) + "...'";
}

bool names_store(std::string_view word) {
  const bool schemed =
      word.contains(':') && std::ranges::find(engines(), scheme_of(word), &EngineRow::scheme) != engines().end();
  return schemed || word.contains("://") || word.contains("password=");
}

Result<void> check_url(std::string_view url) {
  auto checked = check_store(url);
  if (checked.ok() || quoted(url) == "'" + std::string(url) + "'" || url.contains("://")) return checked;
  return misuse("There is no store " + quoted(url) + ": give a URL such as postgresql://HOST/DATABASE.");
}

Result<std::string> server_named(std::string_view word) {
  if (!names_store(word) || check_store(word).ok()) return std::string(word);
  return misuse("Name a server by its data directory or its administration socket, not by " + quoted(word) + ".");
}

Error misuse(std::string sentence) { return Error(ErrorKind::kInvalid, std::move(sentence)); }

Result<uint64_t> read_number(std::string_view flag, std::string_view text, uint64_t least, uint64_t most) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    return misuse(std::string(flag) + " takes a number from " + std::to_string(least) + " to " + std::to_string(most) +
                  ", not " + quoted(text) + ".");
  }
  return number;
}

Result<int64_t> read_offset(std::string_view flag, std::string_view text) {
  constexpr std::string_view kUnits = "smhd";
  constexpr std::array<int64_t, 4> kSeconds{1, 60, 3'600, 86'400};
  constexpr uint64_t kMost = 100'000'000;
  const bool back = text.starts_with('-');
  std::string_view rest = text.substr(back || text.starts_with('+') ? 1 : 0);
  const size_t unit = rest.empty() ? std::string_view::npos : kUnits.find(rest.back());
  if (unit != std::string_view::npos) rest.remove_suffix(1);
  const auto number = read_number(flag, rest, 0, kMost);
  if (!number.ok()) {
    return misuse(std::string(flag) +
                  " takes a number of seconds, or a number followed by s, m, h or d, such as +90, -2h or +31d, not " +
                  quoted(text) + ".");
  }
  const int64_t seconds = static_cast<int64_t>(*number) * (unit == std::string_view::npos ? 1 : kSeconds[unit]);
  return back ? -seconds : seconds;
}

Result<std::string> store_of(const Draft& draft) {
  if (int{draft.data.has_value()} + int{draft.store.has_value()} + int{draft.in_memory} > 1) {
    return misuse("--data, --in-memory and --store each name the store: give one of them.");
  }
  if (draft.in_memory) return std::string("memory:");
  if (names_store(draft.data.value_or(""))) {
    return misuse("--data takes a directory. Give a store's URL as --store URL.");
  }
  std::string store = draft.store ? *draft.store : store_in(draft.data.value_or(std::string(kDefaultData)));
  PARTITA_TRY_VOID(check_url(store));
  return store;
}

}  // namespace partita::cli
