// librdkafka, loaded when the first sink to Kafka is created: servers without one need no such library.
#pragma once

#include <librdkafka/rdkafka.h>

#include "base/result.h"

namespace partita::sinks {

// The functions of it that are used.
#define PARTITA_LIBRDKAFKA(use)                                                                                \
  use(rd_kafka_conf_destroy) use(rd_kafka_conf_new) use(rd_kafka_conf_set) use(rd_kafka_conf_set_dr_msg_cb)    \
      use(rd_kafka_conf_set_error_cb) use(rd_kafka_conf_set_log_cb) use(rd_kafka_conf_set_opaque)              \
          use(rd_kafka_destroy_flags) use(rd_kafka_err2str) use(rd_kafka_fatal_error) use(rd_kafka_last_error) \
              use(rd_kafka_metadata) use(rd_kafka_metadata_destroy) use(rd_kafka_new) use(rd_kafka_poll)       \
                  use(rd_kafka_produce) use(rd_kafka_purge) use(rd_kafka_topic_destroy) use(rd_kafka_topic_new)

struct Librdkafka {
#define PARTITA_USE(function) decltype(&::function) function = nullptr;
  PARTITA_LIBRDKAFKA(PARTITA_USE)
#undef PARTITA_USE
};

// Once is enough, from any thread. Error: kInvalid (reason 0), with what is missing.
Result<void> load_librdkafka();
// Precondition: load_librdkafka() went well.
const Librdkafka& librdkafka();

}  // namespace partita::sinks
