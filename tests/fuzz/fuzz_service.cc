// Whole requests, several in a row, against a server with tables (service/world.h).
#include <cstring>

#include "base/random.h"
#include "input.h"
#include "service/mutate.h"
#include "service/world.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

std::string_view text_of(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

size_t put(const std::string& text, uint8_t* to) {
  std::memcpy(to, text.data(), text.size());
  return text.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  partita::fuzz::World world;
  world.run(text_of(data, size));
  world.check_indexes();
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  partita::SeededRandom random(seed);
  if (random.below(8) == 0) return LLVMFuzzerMutate(data, size, max_size);
  return put(partita::fuzz::mutate_program(text_of(data, size), random, max_size), data);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                                            uint8_t* out, size_t max_size, unsigned seed) {
  partita::SeededRandom random(seed);
  return put(partita::fuzz::cross_programs(text_of(a, a_size), text_of(b, b_size), random, max_size), out);
}
