#include "engines/rocksdb/info_logger.h"

#include <array>
#include <cstdarg>
#include <cstdio>

#include "base/log.h"

namespace partita::rocks {

namespace {

class InfoLogger final : public rocksdb::Logger {
 public:
  InfoLogger() : Logger(rocksdb::WARN_LEVEL) {}
  ~InfoLogger() override { Close().PermitUncheckedError(); }

  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override { Logv(rocksdb::INFO_LEVEL, format, arguments); }
  // What matters of it reaches the operator in the store's own words; these are for whoever looks closer.
  void Logv(const rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (level < GetInfoLogLevel() || level == rocksdb::HEADER_LEVEL) return;
    const LogLevel ours = level >= rocksdb::ERROR_LEVEL ? LogLevel::kInfo : LogLevel::kDebug;
    if (!logs(ours)) return;
    std::array<char, 1024> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    log(ours, {"rocksdb: ", text.data()});
  }
  void LogHeader(const char*, va_list) override {}

 protected:
  rocksdb::Status CloseImpl() override { return rocksdb::Status::OK(); }
};

}  // namespace

std::shared_ptr<rocksdb::Logger> make_info_logger() { return std::make_shared<InfoLogger>(); }

}  // namespace partita::rocks
