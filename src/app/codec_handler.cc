#include "app/codec_handler.h"

#include <string_view>

namespace partita::app {

void CodecHandler::answered(const ops::Call& call, const ops::Reply& reply, int64_t took_ns) {
  service_.answered(call, reply, took_ns);
  namespaces_.answered(call, reply);
  const std::string_view space = namespaces_.name_of(call);
  log_.write(call, space, reply, took_ns);
  if (audit_ != nullptr) audit_->write(call, space, reply);
  if (traces_ != nullptr) traces_->note(call, space, reply, took_ns);
}

}  // namespace partita::app
