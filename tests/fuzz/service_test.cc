// The fuzz target of whole requests without libFuzzer: its seeds, and some thousand programs made of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "base/random.h"
#include "ops/operation.h"
#include "service/mutate.h"
#include "service/world.h"

namespace partita::fuzz {
namespace {

constexpr int kPrograms = 2000;
constexpr size_t kMaxSize = 8192;

std::map<std::string, std::string> seeds() {
  std::map<std::string, std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(PARTITA_FUZZ_CORPUS)) {
    std::ifstream file(entry.path());
    found[entry.path().filename()] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  return found;
}

TEST(Service, AnswersEverySeedWithSuccess) {
  for (const auto& [name, program] : seeds()) {
    World world;
    const std::vector<int> statuses = world.run(program);
    const int wanted = name == "replicas" || name == "kinesis" ? 400 : 200;  // no table has any
    for (size_t i = 0; i < statuses.size(); ++i) EXPECT_EQ(statuses[i], wanted) << name << ", request " << i + 1;
    world.check_indexes();
  }
}

TEST(Service, HasASeedOfEveryOperation) {
  std::set<std::string, std::less<>> seen;
  for (const auto& [name, program] : seeds()) {
    std::istringstream lines(program);
    for (std::string line; std::getline(lines, line);) seen.insert(line.substr(0, line.find(' ')));
  }
  for (const auto& operation : ops::operations()) EXPECT_TRUE(seen.contains(operation.name)) << operation.name;
}

TEST(Service, KeepsItsPromisesWhateverIsAsked) {
  std::vector<std::string> programs;
  for (const auto& [name, program] : seeds()) programs.push_back(program);
  SeededRandom random(2018);
  int accepted = 0;
  for (int i = 0; i < kPrograms; ++i) {
    std::string program = programs[random.below(programs.size())];
    if (random.below(4) == 0) {
      program = cross_programs(program, programs[random.below(programs.size())], random, kMaxSize);
    }
    program = mutate_program(program, random, kMaxSize);
    std::ofstream("service_test.last") << program;  // what to look at after an abort
    World world;
    for (const int status : world.run(program)) accepted += status == 200 ? 1 : 0;
    world.check_indexes();
  }
  EXPECT_GT(accepted, kPrograms) << "the mutator leaves too little of what it is given";
}

}  // namespace
}  // namespace partita::fuzz
