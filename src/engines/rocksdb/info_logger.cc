#include "engines/rocksdb/info_logger.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/log.h"

namespace partita::rocks {

namespace {

// RocksDB prints some things over several lines.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank) line.push_back(c);
    if (blank && !line.empty() && line.back() != ' ') line.push_back(' ');
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

class InfoLogger final : public rocksdb::Logger {
 public:
  InfoLogger() : Logger(rocksdb::WARN_LEVEL) {}
  ~InfoLogger() override { Close().PermitUncheckedError(); }

  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override { Logv(rocksdb::INFO_LEVEL, format, arguments); }
  // For debugging: the store logs what operators need in its own words.
  void Logv(const rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (level < GetInfoLogLevel() || level == rocksdb::HEADER_LEVEL) return;
    const LogLevel ours = level >= rocksdb::ERROR_LEVEL ? LogLevel::kInfo : LogLevel::kDebug;
    if (!logs(ours)) return;
    std::array<char, 1024> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    log(ours, {"rocksdb: ", on_one_line(text.data())});
  }
  void LogHeader(const char*, va_list) override {}

 protected:
  rocksdb::Status CloseImpl() override { return rocksdb::Status::OK(); }
};

}  // namespace

std::shared_ptr<rocksdb::Logger> make_info_logger() { return std::make_shared<InfoLogger>(); }

}  // namespace partita::rocks
