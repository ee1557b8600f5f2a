#include "sinks/zstd_text.h"

#include <zstd.h>

#include "base/check.h"

namespace partita::sinks {

struct ZstdWriter::Stream {
  Stream() : context(ZSTD_createCCtx()) {
    PARTITA_CHECK(context != nullptr);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  }
  ~Stream() { ZSTD_freeCCtx(context); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ZSTD_CCtx* const context;
};

ZstdWriter::ZstdWriter() : stream_(std::make_unique<Stream>()) {}
ZstdWriter::~ZstdWriter() = default;

void ZstdWriter::run(std::string_view text, bool ends) {
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  while (true) {
    const size_t used = out_.size();
    out_.resize(used + ZSTD_CStreamOutSize());
    ZSTD_outBuffer out{out_.data(), out_.size(), used};
    const size_t left = ZSTD_compressStream2(stream_->context, &out, &in, ends ? ZSTD_e_end : ZSTD_e_continue);
    PARTITA_CHECK(ZSTD_isError(left) == 0);
    out_.resize(out.pos);
    if (ends ? left == 0 : in.pos == in.size) return;
  }
}

void ZstdWriter::add(std::string_view text) {
  pending_ += text;
  if (pending_.size() < ZSTD_CStreamInSize()) return;
  run(pending_, false);
  pending_.clear();
}

std::string ZstdWriter::finish() {
  run(pending_, true);
  return std::move(out_);
}

std::optional<std::string> zstd_text(std::string_view bytes, size_t most) {
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  PARTITA_CHECK(context != nullptr);
  std::string text;
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  size_t left = 1;
  while (in.pos < in.size || left != 0) {
    const size_t used = text.size();
    text.resize(used + ZSTD_DStreamOutSize());
    ZSTD_outBuffer out{text.data(), text.size(), used};
    const size_t taken = in.pos;
    left = ZSTD_decompressStream(context.get(), &out, &in);
    text.resize(out.pos);
    const bool stands = out.pos == used && in.pos == taken;
    if (ZSTD_isError(left) != 0 || stands || text.size() > most) return std::nullopt;
  }
  return text;
}

}  // namespace partita::sinks
