#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/blocked_signals.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "library/embedded_database.h"
#include "library/partita.h"
#include "library/process.h"
#include "model/aside_fault.h"

// What partita.h declares without saying what it is.
struct partita_db {
  std::unique_ptr<partita::library::EmbeddedDatabase> database;
};

namespace partita::library {
namespace {

constexpr size_t kMostOperationBytes = 256;
constexpr size_t kMostRegionBytes = 64;
constexpr std::string_view kNoMemory = "There is not enough memory.";
constexpr std::string_view kForkedSentence =
    "A process that has opened a database was forked, and its child cannot use Partita: fork first, or call exec().";

// A text for the caller's buffer, cut to what fits.
class Why {
 public:
  Why(char* text, size_t size) : text_(text), size_(text == nullptr ? 0 : size) { say(""); }
  void say(std::string_view sentence) const noexcept {
    if (size_ == 0) return;
    size_t fits = std::min(sentence.size(), size_ - 1);
    // Not within a character.
    while (fits < sentence.size() && fits > 0 && (static_cast<unsigned char>(sentence[fits]) & 0xc0) == 0x80) --fits;
    std::copy_n(sentence.data(), fits, text_);
    text_[fits] = '\0';
  }

 private:
  char* const text_;
  const size_t size_;
};

partita_code refuse_with(const Why& why, partita_code code, std::string_view sentence) noexcept {
  why.say(sentence);
  return code;
}

// No exception leaves the library.
template <class Work>
partita_code guarded(const Why& why, Work work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return refuse_with(why, PARTITA_NO_MEMORY, kNoMemory);
  } catch (const std::exception& error) {
    return refuse_with(why, PARTITA_UNAVAILABLE, error.what());
  }
}

// The caller may know fewer members, or more, which are zero then.
bool read_options(const partita_options& from, partita_options& options) {
  constexpr size_t kLeast = offsetof(partita_options, flags) + sizeof(uint64_t);
  constexpr size_t kMost = 4096;
  size_t size = 0;
  std::memcpy(&size, &from, sizeof size);
  if (size < kLeast || size > kMost) return false;
  const char* const bytes = reinterpret_cast<const char*>(&from);
  if (size > sizeof options && std::any_of(bytes + sizeof options, bytes + size, [](char c) { return c != 0; })) {
    return false;
  }
  options = {};
  std::memcpy(&options, bytes, std::min(size, sizeof options));
  return true;
}

bool is_region(std::string_view text) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && text.size() <= kMostRegionBytes && std::ranges::all_of(text, fits);
}

constexpr int64_t kAfter9999Ms = 253'402'300'800'000;

// Whether a clock so far ahead is in the years 1970 to 9999.
bool is_clock(int64_t ahead_ms) {
  const int64_t now_ms = system_clock().now_ms();
  return ahead_ms >= -now_ms && ahead_ms < kAfter9999Ms - now_ms;
}

bool is_operation(std::string_view name) {
  const auto fits = [](char c) { return c > ' ' && c < 0x7f; };
  return !name.empty() && name.size() <= kMostOperationBytes && std::ranges::all_of(name, fits);
}

partita_code open(const partita_options& given, partita_db** db, const Why& why) {
  partita_options from;
  if (!read_options(given, from)) {
    return refuse_with(why, PARTITA_INVALID,
                       "partita_options::size is not that of a known version, or a member is set that this version of "
                       "libpartita does not know.");
  }
  if (from.flags != 0) return refuse_with(why, PARTITA_INVALID, "partita_options::flags must be 0.");
  if (from.path != nullptr && *from.path == '\0') {
    return refuse_with(why, PARTITA_INVALID, "partita_options::path is empty: null is a database in memory.");
  }
  const std::string_view region = from.region == nullptr ? "us-east-1" : from.region;
  if (!is_region(region)) {
    return refuse_with(why, PARTITA_INVALID, "partita_options::region must be like \"eu-west-1\", or null.");
  }
  if (!is_clock(from.clock_ms)) {
    return refuse_with(why, PARTITA_INVALID,
                       "partita_options::clock_ms moves the clock out of the years 1970 to 9999.");
  }
  if (is_forked()) return refuse_with(why, PARTITA_FORKED, kForkedSentence);
  note_opened();
  auto made = std::make_unique<partita_db>();
  const BlockedSignals blocked;
  auto opened = EmbeddedDatabase::open({from.path == nullptr ? "" : from.path, std::string(region), from.clock_ms});
  if (!opened.ok()) return refuse_with(why, PARTITA_UNAVAILABLE, opened.error().sentence());
  made->database = std::move(opened).value();
  *db = made.release();
  return PARTITA_OK;
}

// What all calls have in common: `ask` gives the Answer.
template <class Ask>
partita_code answer(partita_db* db, bool valid, partita_reply* reply, Ask ask) noexcept {
  if (reply == nullptr) return PARTITA_INVALID;
  *reply = {};
  if (db == nullptr || !valid) return PARTITA_INVALID;
  if (is_forked()) return PARTITA_FORKED;
  return guarded(Why(nullptr, 0), [&]() -> partita_code {
    Answer given = ask(*db->database);
    reply->status = given.status;
    reply->item_count = given.item_count;
    reply->body = given.body.data();
    reply->length = given.body.size();
    reply->item = given.item;
    reply->owned = given.owned.release();
    return PARTITA_OK;
  });
}

bool is_table(const char* table) { return table != nullptr && is_utf8(table); }

// What snapshots and the clock have in common: `change` gives a Result.
template <class Change>
partita_code change(partita_db* db, bool valid, const Why& why, Change change_host) noexcept {
  if (db == nullptr || !valid) return refuse_with(why, PARTITA_INVALID, "An argument is null or out of its range.");
  if (is_forked()) return refuse_with(why, PARTITA_FORKED, kForkedSentence);
  return guarded(why, [&]() -> partita_code {
    const BlockedSignals blocked;
    const auto done = change_host(db->database->host());
    if (done.ok()) return PARTITA_OK;
    why.say(done.error().sentence());
    if (done.error().kind() != ErrorKind::kInvalid) return PARTITA_UNAVAILABLE;
    const auto* const aside = dynamic_cast<const model::AsideDetail*>(done.error().detail().get());
    return aside != nullptr && aside->fault == model::AsideFault::kNotFound ? PARTITA_NOT_FOUND : PARTITA_REFUSED;
  });
}

}  // namespace
}  // namespace partita::library

using namespace partita::library;

partita_code partita_open(const partita_options* options, partita_db** db, char* why, size_t why_size) {
  const Why reason(why, why_size);
  if (db != nullptr) *db = nullptr;
  if (options == nullptr || db == nullptr) {
    return refuse_with(reason, PARTITA_INVALID, "partita_open() needs options and a place for the database.");
  }
  return guarded(reason, [&] { return open(*options, db, reason); });
}

void partita_close(partita_db* db) {
  if (db != nullptr && !is_forked()) delete db;
}

partita_code partita_call(partita_db* db, const char* operation, const char* json, size_t length,
                          partita_reply* reply) {
  const bool valid = operation != nullptr && (json != nullptr || length == 0) && is_operation(operation);
  return answer(db, valid, reply, [&](EmbeddedDatabase& database) {
    return database.call(operation, length == 0 ? std::string_view() : std::string_view(json, length));
  });
}

partita_code partita_get_item(partita_db* db, const char* table, const partita_attribute* key, size_t key_count,
                              int32_t consistent, partita_reply* reply) {
  const bool valid = is_table(table) && are_sound(key, key_count) && (consistent == 0 || consistent == 1);
  return answer(db, valid, reply,
                [&](EmbeddedDatabase& database) { return database.get(table, {key, key_count}, consistent == 1); });
}

partita_code partita_put_item(partita_db* db, const char* table, const partita_attribute* item, size_t item_count,
                              partita_reply* reply) {
  const bool valid = is_table(table) && are_sound(item, item_count);
  return answer(db, valid, reply, [&](EmbeddedDatabase& database) { return database.put(table, {item, item_count}); });
}

partita_code partita_delete_item(partita_db* db, const char* table, const partita_attribute* key, size_t key_count,
                                 partita_reply* reply) {
  const bool valid = is_table(table) && are_sound(key, key_count);
  return answer(db, valid, reply, [&](EmbeddedDatabase& database) { return database.erase(table, {key, key_count}); });
}

void partita_reply_free(partita_reply* reply) {
  if (reply == nullptr) return;
  delete static_cast<Owned*>(reply->owned);
  *reply = {};
}

partita_code partita_snapshot(partita_db* db, const char* name, char* why, size_t why_size) {
  return change(db, name != nullptr, Why(why, why_size), [&](auto& host) { return host.create_snapshot(name); });
}

partita_code partita_rollback(partita_db* db, const char* name, char* why, size_t why_size) {
  return change(db, name != nullptr, Why(why, why_size), [&](auto& host) { return host.roll_back(name); });
}

partita_code partita_delete_snapshot(partita_db* db, const char* name, char* why, size_t why_size) {
  return change(db, name != nullptr, Why(why, why_size), [&](auto& host) { return host.delete_snapshot(name); });
}

partita_code partita_move_clock(partita_db* db, int64_t by_ms, int32_t absolute, char* why, size_t why_size) {
  using From = partita::namespaces::DatabaseHost::From;
  const bool valid = (absolute == 0 || absolute == 1) && by_ms > -kAfter9999Ms && by_ms < kAfter9999Ms;
  return change(db, valid, Why(why, why_size),
                [&](auto& host) { return host.move_clock(by_ms, absolute == 1 ? From::kMachine : From::kDatabase); });
}

// In a child it could wait for ever: a thread of the parent may have been writing a line.
void partita_set_log(partita_log_function function, void* context) {
  if (!is_forked()) set_log(function, context);
}
