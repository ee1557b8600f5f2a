#include "base/per_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <new>
#include <thread>

namespace partita {
namespace {

std::atomic<int> made{0};
std::atomic<int> ended{0};

struct Counted {
  Counted() { ++made; }
  ~Counted() {
    EXPECT_EQ(PerThread<Counted>::find(), nullptr);
    ++ended;
  }
  int value = 0;
};

TEST(PerThreadTest, EachThreadHasItsOwnAndItEndsWithTheThread) {
  std::thread one([] {
    EXPECT_EQ(PerThread<Counted>::find(), nullptr);
    PerThread<Counted>::get().value = 7;
    std::thread other([] { EXPECT_EQ(PerThread<Counted>::get().value, 0); });
    other.join();
    EXPECT_EQ(ended, 1);
    EXPECT_EQ(PerThread<Counted>::get().value, 7);
    EXPECT_EQ(PerThread<Counted>::find(), &PerThread<Counted>::get());
  });
  one.join();
  EXPECT_EQ(made, 2);
  EXPECT_EQ(ended, 2);
}

bool refuses = true;

struct Refusing {
  Refusing() {
    if (refuses) std::rethrow_exception(std::make_exception_ptr(std::bad_alloc()));
  }
};

TEST(PerThreadTest, WhatCouldNotBeMadeIsMadeLater) {
  EXPECT_THROW(PerThread<Refusing>::get(), std::bad_alloc);
  EXPECT_EQ(PerThread<Refusing>::find(), nullptr);
  refuses = false;
  EXPECT_NO_THROW(PerThread<Refusing>::get());
}

struct Late {
  ~Late() { PerThread<Counted>::get(); }
};

TEST(PerThreadTest, WhatIsMadeWhileTheThreadEndsIsEndedToo) {
  made = 0;
  ended = 0;
  std::thread one([] {
    PerThread<Counted>::get();
    PerThread<Late>::get();
  });
  one.join();
  EXPECT_GE(made, 1);
  EXPECT_EQ(made, ended);
}

}  // namespace
}  // namespace partita
