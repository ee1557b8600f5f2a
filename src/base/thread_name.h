// The name of a thread in `top -H`, /proc and debuggers.
#pragma once

#include <pthread.h>

namespace partita {

// Names the calling thread; at most 15 bytes.
inline void name_thread(const char* name) {
#if defined(__APPLE__)
  pthread_setname_np(name);
#else
  pthread_setname_np(pthread_self(), name);
#endif
}

}  // namespace partita
