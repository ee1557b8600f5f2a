#include "base/processors.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

namespace partita {
namespace {

namespace fs = std::filesystem;

class Machine : public testing::Test {
 protected:
  Machine() : root_(fs::path(testing::TempDir()) / ("processors-" + std::to_string(getpid()))) {
    fs::remove_all(root_);
    // As many as the tests below may be given, whatever machine they run on.
    have_ = usable_processors(root_);
  }
  ~Machine() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  unsigned within(unsigned most) const { return std::min(have_, most); }
  unsigned found() const { return usable_processors(root_); }

  fs::path root_;
  unsigned have_ = 0;
};

TEST_F(Machine, WithoutGroupsHasThoseOfItsAffinity) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(found(), static_cast<unsigned>(CPU_COUNT(&all)));
}

TEST_F(Machine, AffinityOfOneIsOne) {
  unsigned seen = 0;
  std::thread([&] {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int each = 0; each < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++each) {
      if (CPU_ISSET(each, &all)) CPU_SET(each, &one);
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    seen = found();
  }).join();
  EXPECT_EQ(seen, 1);
}

TEST_F(Machine, QuotaOfVersion2) {
  write("proc/self/cgroup", "0::/jobs/one\n");
  write("sys/fs/cgroup/jobs/one/cpu.max", "max 100000\n");
  EXPECT_EQ(found(), have_);
  write("sys/fs/cgroup/jobs/one/cpu.max", "100000 100000\n");
  EXPECT_EQ(found(), 1);
  write("sys/fs/cgroup/jobs/one/cpu.max", "100001 100000\n");
  EXPECT_EQ(found(), within(2));
  write("sys/fs/cgroup/jobs/one/cpu.max", "1000 100000\n");
  EXPECT_EQ(found(), 1);
}

TEST_F(Machine, QuotaOfAGroupAround) {
  write("proc/self/cgroup", "0::/jobs/one\n");
  write("sys/fs/cgroup/jobs/one/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/jobs/cpu.max", "50000 100000\n");
  EXPECT_EQ(found(), 1);
}

TEST_F(Machine, QuotaOfAContainerStandsAtTheMountPoint) {
  write("proc/self/cgroup", "0::/docker/0123\n");
  write("sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_EQ(found(), 1);
}

TEST_F(Machine, QuotaOfVersion1) {
  write("proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/job\n0::/\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(found(), have_);
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "90000\n");
  EXPECT_EQ(found(), 1);
}

TEST_F(Machine, NonsenseIsNoQuota) {
  for (const char* groups : {"", "nonsense\n", "0:\n", "0::\n", ":::\n"}) {
    write("proc/self/cgroup", groups);
    for (const char* quota : {"", "nonsense\n", "0 0\n", "-5 100000\n", "100000 0\n", "99999999999999999999 1\n"}) {
      write("sys/fs/cgroup/cpu.max", quota);
      EXPECT_EQ(found(), have_) << groups << quota;
    }
  }
}

}  // namespace
}  // namespace partita
