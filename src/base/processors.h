// How many processors this process may use, which is often fewer than the machine has.
#pragma once

#include <filesystem>

namespace partita {

// Those of its affinity mask (taskset, cpusets), and no more than its control groups' quota of time, version 1 or 2,
// pays for, rounded up. At least 1. `root` is where /proc and /sys/fs/cgroup are.
unsigned usable_processors(const std::filesystem::path& root = "/");

}  // namespace partita
