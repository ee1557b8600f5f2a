// Texts compressed by zstd.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace partita::sinks {

// Compresses a text as it comes, into one frame with a checksum. For one thread at a time.
class ZstdWriter {
 public:
  ZstdWriter();
  ~ZstdWriter();
  ZstdWriter(const ZstdWriter&) = delete;
  ZstdWriter& operator=(const ZstdWriter&) = delete;

  void add(std::string_view text);
  std::string finish();  // once

 private:
  struct Stream;
  void run(std::string_view text, bool ends);
  std::unique_ptr<Stream> stream_;
  std::string pending_;  // of the text
  std::string out_;
};

// Nullopt: these bytes are not whole frames, or have a text of more than `most` bytes.
std::optional<std::string> zstd_text(std::string_view bytes, size_t most);

}  // namespace partita::sinks
