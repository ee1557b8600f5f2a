#include "base/coroutine_frames.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace partita {
namespace {

// Every byte of each is written, so that a sanitizer or a neighbour tells when it was too small.
TEST(Frames, AreApartAndAsLargeAsAsked) {
  for (const size_t bytes : {1, 64, 128, 129, 1000, 4096, 4097, 100'000}) {
    std::vector<char*> frames;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 100; ++i) {
        frames.push_back(static_cast<char*>(allocate_frame(bytes)));
        std::memset(frames.back(), i, bytes);
      }
      EXPECT_EQ(std::set(frames.begin(), frames.end()).size(), frames.size());
      for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(frames[i][0], i);
        EXPECT_EQ(frames[i][bytes - 1], i);
        free_frame(frames[i], bytes);
      }
      frames.clear();
    }
  }
}

TEST(Frames, MayEndOnAnotherThreadThanTheyBeganOn) {
  std::vector<void*> frames;
  std::thread([&] {
    for (int i = 0; i < 200; ++i) frames.push_back(allocate_frame(500));
  }).join();
  for (void* const frame : frames) free_frame(frame, 500);
  for (int i = 0; i < 200; ++i) frames[i] = allocate_frame(500);
  std::thread([&] {
    for (void* const frame : frames) free_frame(frame, 500);
  }).join();
}

// A frame of the largest size of a class serves a smaller one, never the other way round.
TEST(Frames, OfOneClassServeEachOther) {
  for (int i = 0; i < 10; ++i) {
    void* const small = allocate_frame(129);
    free_frame(small, 129);
    void* const large = allocate_frame(256);
    std::memset(large, 1, 256);
    free_frame(large, 256);
  }
}

}  // namespace
}  // namespace partita
