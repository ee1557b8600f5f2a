#include "base/processors.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>

namespace partita {

namespace {

namespace fs = std::filesystem;

constexpr unsigned kUnlimited = std::numeric_limits<unsigned>::max();

// A machine may have more processors than a cpu_set_t has bits: then all of them count. So they do on a system without
// affinity masks.
unsigned processors_of_affinity() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&allowed)));
  }
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

unsigned processors_for(int64_t quota_us, int64_t period_us) {
  if (quota_us <= 0 || period_us <= 0) return kUnlimited;
  const int64_t whole = quota_us / period_us + int64_t{quota_us % period_us != 0};
  return static_cast<unsigned>(std::min<int64_t>(whole, kUnlimited));
}

// What a group allows by itself; one without a quota says "max", or -1, or nothing.
unsigned quota_of_group(const fs::path& group) {
  int64_t quota = 0;
  int64_t period = 0;
  if (std::ifstream both(group / "cpu.max"); both >> quota >> period) return processors_for(quota, period);
  std::ifstream quota_file(group / "cpu.cfs_quota_us");
  std::ifstream period_file(group / "cpu.cfs_period_us");
  if (quota_file >> quota && period_file >> period) return processors_for(quota, period);
  return kUnlimited;
}

bool lists_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "cpu") return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

// The least of a group and of those around it. In a container the path may be one of the machine outside: then only the
// mount point itself is there.
unsigned quota_along(const fs::path& mount, const fs::path& path) {
  unsigned least = quota_of_group(mount);
  fs::path group = mount;
  for (const fs::path& part : path.relative_path()) {
    group /= part;
    least = std::min(least, quota_of_group(group));
  }
  return least;
}

// Lines of /proc/self/cgroup: "0::/path" of version 2, "4:cpu,cpuacct:/path" of version 1.
unsigned processors_of_quota(const fs::path& root) {
  unsigned least = kUnlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  const fs::path mount = root / "sys/fs/cgroup";
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, quota_along(mount, path));
    if (lists_cpu(controllers)) {
      least = std::min({least, quota_along(mount / controllers, path), quota_along(mount / "cpu", path)});
    }
  }
  return least;
}

}  // namespace

unsigned usable_processors(const fs::path& root) {
  return std::max(1U, std::min(processors_of_affinity(), processors_of_quota(root)));
}

}  // namespace partita
