// Of the static program: it has its own C library, which another machine's libraries would not fit.
#include <dlfcn.h>
#include <nss.h>

extern "C" {

void* dlopen(const char*, int) { return nullptr; }
void* dlsym(void*, const char*) { return nullptr; }
int dlclose(void*) { return -1; }
int dladdr(const void*, Dl_info*) { return 0; }
char* dlerror() {
  static char why[] = "this is the static program, which loads no libraries. Use the one that is linked with glibc";
  return why;
}

// The services of names that the C library contains: /etc/nsswitch.conf may ask for others, which are libraries.
[[gnu::constructor]] static void use_own_services() {
  __nss_configure_lookup("hosts", "files dns");
  __nss_configure_lookup("services", "files");
}

}  // extern "C"
