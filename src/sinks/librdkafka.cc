#include "sinks/librdkafka.h"

#include <dlfcn.h>

#include <string>

#include "base/check.h"
#include "base/shared_library.h"

namespace partita::sinks {

namespace {

constexpr char kLibrary[] = PARTITA_SHARED_LIBRARY("librdkafka", "1");

struct LoadedLibrdkafka {
  Librdkafka functions;
  std::string missing;  // empty: nothing
};

template <class Function>
void find_kafka_function(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) missing = std::string("librdkafka is too old: it has no ") + name + ".";
}

LoadedLibrdkafka open_librdkafka() {
  LoadedLibrdkafka loaded;
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    loaded.missing = "Sinks to Kafka need librdkafka on the server's machine (Debian's package librdkafka1): ";
    loaded.missing += std::string(dlerror()) + ".";
    return loaded;
  }
#define PARTITA_USE(function) find_kafka_function(library, #function, loaded.functions.function, loaded.missing);
  PARTITA_LIBRDKAFKA(PARTITA_USE)
#undef PARTITA_USE
  return loaded;
}

const LoadedLibrdkafka& loaded_librdkafka() {
  static const LoadedLibrdkafka once = open_librdkafka();
  return once;
}

}  // namespace

Result<void> load_librdkafka() {
  if (loaded_librdkafka().missing.empty()) return {};
  return Error(ErrorKind::kInvalid, loaded_librdkafka().missing);
}

const Librdkafka& librdkafka() {
  PARTITA_CHECK(loaded_librdkafka().missing.empty());
  return loaded_librdkafka().functions;
}

}  // namespace partita::sinks
