#include "dax/caches.h"

#include <array>
#include <string_view>

#include "table/open/database.h"

namespace partita::dax {

void Caches::report(Exposition& out) const {
  struct One {
    std::string_view name;
    CacheCounts counts;
  };
  const std::array<One, 2> both = {{{"item", items_.counts()}, {"query", queries_.counts()}}};
  for (const auto& [name, counts] : both) {
    out.counter("partita_dax_cache_hits_total", "Reads over DAX that a cache answered.",
                static_cast<double>(counts.hits), {{"cache", name}});
  }
  for (const auto& [name, counts] : both) {
    out.counter("partita_dax_cache_misses_total", "Reads over DAX that a cache could not answer.",
                static_cast<double>(counts.misses), {{"cache", name}});
  }
  for (const auto& [name, counts] : both) {
    out.counter("partita_dax_cache_evictions_total", "Entries of a cache of DAX that made room for others.",
                static_cast<double>(counts.evictions), {{"cache", name}});
  }
  for (const auto& [name, counts] : both) {
    out.gauge("partita_dax_cache_bytes", "Memory of the entries of a cache of DAX.", static_cast<double>(counts.bytes),
              {{"cache", name}});
  }
  for (const auto& [name, counts] : both) {
    out.gauge("partita_dax_cache_entries", "Entries of a cache of DAX.", static_cast<double>(counts.entries),
              {{"cache", name}});
  }
}

CacheKey cache_key(const ops::Context& context, const table::TableInfo& table, std::string_view bytes,
                   uint8_t meaning) {
  return {context.database.attribute_lists().number(), table.id, table.revision, bytes, meaning};
}

int64_t cache_time_ns(const ops::Context& context) {
  return context.began_ns != 0 ? context.began_ns : context.database.clock().monotonic_ns();
}

}  // namespace partita::dax
