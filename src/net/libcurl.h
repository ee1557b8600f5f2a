// libcurl, loaded when the first request is made: linked, it and its thirty libraries would cost every server a part of
// its start and memory, and no server would start without them (docs/decisions/028).
#pragma once

#include <curl/curl.h>

#include "base/result.h"

namespace partita::net {

// The functions of it that are used.
#define PARTITA_LIBCURL(use)                                                                                   \
  use(curl_easy_cleanup) use(curl_easy_getinfo) use(curl_easy_init) use(curl_easy_reset) use(curl_easy_setopt) \
      use(curl_easy_strerror) use(curl_global_init) use(curl_multi_add_handle) use(curl_multi_cleanup)         \
          use(curl_multi_info_read) use(curl_multi_init) use(curl_multi_perform) use(curl_multi_poll)          \
              use(curl_multi_remove_handle) use(curl_multi_wakeup) use(curl_slist_append) use(curl_slist_free_all)

struct Libcurl {
#define PARTITA_USE(function) decltype(&::function) function = nullptr;
  PARTITA_LIBCURL(PARTITA_USE)
#undef PARTITA_USE
};

// Once is enough, from any thread. Error: kInvalid (reason 0), with what is missing.
Result<void> load_libcurl();
// Precondition: load_libcurl() went well.
const Libcurl& libcurl();

}  // namespace partita::net
