#include "net/libcurl.h"

#include <dlfcn.h>

#include <string>

#include "base/check.h"
#include "base/shared_library.h"

namespace partita::net {

namespace {

constexpr char kLibrary[] = PARTITA_SHARED_LIBRARY("libcurl", "4");
constexpr char kWithGnutls[] = "libcurl-gnutls.so.4";  // a second build of Debian's, which may be the only one

struct LoadedLibcurl {
  Libcurl functions;
  std::string missing;  // empty: nothing
};

template <class Function>
void find_function(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) missing = std::string("libcurl is too old: it has no ") + name + ".";
}

LoadedLibcurl open_libcurl() {
  LoadedLibcurl loaded;
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    loaded.missing = "Requests to other servers need libcurl (Debian's package libcurl4): ";
    loaded.missing += std::string(dlerror()) + ".";
    library = dlopen(kWithGnutls, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return loaded;
    loaded.missing.clear();
  }
#define PARTITA_USE(function) find_function(library, #function, loaded.functions.function, loaded.missing);
  PARTITA_LIBCURL(PARTITA_USE)
#undef PARTITA_USE
  if (loaded.missing.empty() && loaded.functions.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    loaded.missing = "libcurl cannot be initialised.";
  }
  return loaded;
}

const LoadedLibcurl& loaded_libcurl() {
  static const LoadedLibcurl once = open_libcurl();
  return once;
}

}  // namespace

Result<void> load_libcurl() {
  if (loaded_libcurl().missing.empty()) return {};
  return Error(ErrorKind::kInvalid, loaded_libcurl().missing);
}

const Libcurl& libcurl() {
  PARTITA_CHECK(loaded_libcurl().missing.empty());
  return loaded_libcurl().functions;
}

}  // namespace partita::net
