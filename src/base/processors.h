// The number of processors that this process may use, which is often smaller than the machine's.
#pragma once

#include <filesystem>

namespace partita {

// The processors of the affinity mask (taskset, cpusets), limited to the CPU quota of the control groups (version 1 or
// 2), rounded up. At least 1. `root`: the directory of /proc and /sys/fs/cgroup.
unsigned usable_processors(const std::filesystem::path& root = "/");

}  // namespace partita
