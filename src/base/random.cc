#include "base/random.h"

#include <bit>
#include <random>

#include "base/check.h"
#include "base/per_thread.h"

namespace partita {

namespace {

uint64_t seed_of_system() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

struct OfThread {
  SeededRandom generator{seed_of_system()};
};

class SystemRandom final : public Random {
 public:
  uint64_t next() override { return PerThread<OfThread>::get().generator.next(); }
};

}  // namespace

uint64_t splitmix64(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

uint64_t Random::below(uint64_t bound) {
  PARTITA_CHECK(bound > 0);
  return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
}

std::string Random::uuid() {
  static constexpr char kHex[] = "0123456789abcdef";
  const uint64_t high = (next() & ~uint64_t{0xf000}) | 0x4000;
  const uint64_t low = (next() & ~(uint64_t{3} << 62)) | (uint64_t{2} << 62);
  std::string text;
  text.reserve(36);
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) text.push_back('-');
    const uint64_t half = i < 16 ? high : low;
    text.push_back(kHex[(half >> (60 - 4 * (i % 16))) & 15]);
  }
  return text;
}

Random& system_random() {
  static SystemRandom random;
  return random;
}

SeededRandom::SeededRandom(uint64_t seed) {
  for (uint64_t& word : state_) word = splitmix64(seed);
}

uint64_t SeededRandom::next() {
  const MutexLock lock(mutex_);
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

}  // namespace partita
