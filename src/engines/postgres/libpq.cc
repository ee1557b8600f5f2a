#include "engines/postgres/libpq.h"

#include <dlfcn.h>

#include <string>

#include "base/check.h"
#include "base/shared_library.h"

namespace partita::postgres {

namespace {

// The name of every libpq since PostgreSQL 8; the pipelines that we use are in those since 14.
constexpr char kLibrary[] = PARTITA_SHARED_LIBRARY("libpq", "5");

struct Loaded {
  Libpq functions;
  std::string missing;  // empty: nothing
};

template <class Function>
void find(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) missing = std::string(kLibrary) + " is too old: it has no " + name + ".";
}

Loaded in_flight() {
  Loaded loaded;
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    loaded.missing = "A store in PostgreSQL needs PostgreSQL's client library (Debian's package libpq5): ";
    loaded.missing += std::string(dlerror()) + ".";
    return loaded;
  }
#define PARTITA_USE(function) find(library, #function, loaded.functions.function, loaded.missing);
  PARTITA_LIBPQ(PARTITA_USE)
#undef PARTITA_USE
  return loaded;
}

const Loaded& loaded() {
  static const Loaded once = in_flight();
  return once;
}

}  // namespace

Result<void> load_libpq() {
  if (loaded().missing.empty()) return {};
  return Error(ErrorKind::kUnavailable, loaded().missing);
}

const Libpq& libpq() {
  PARTITA_CHECK(loaded().missing.empty());
  return loaded().functions;
}

}  // namespace partita::postgres
