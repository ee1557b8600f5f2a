// For tests of calls: a store in memory, and calls with bodies in JSON.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "cloudwatch/calls.h"
#include "engines/memory/memory_engine.h"
#include "wire/error_body.h"

namespace partita::cloudwatch {

class CallsOfAStoreTest : public testing::Test {
 protected:
  // The reply, or the message of the error.
  std::string call(std::string_view name, const std::string& body) {
    const auto document = wire::read_json(body);
    EXPECT_TRUE(document.ok()) << body;
    const CallContext context{*engine_, clock_, random_, "eu-west-1", "123456789012"};
    const auto done = wait_for(find_call(name)->run(context, Parameters(*document, name)));
    return done.ok() ? write_json(*done) : wire::message_of(done.error());
  }

  std::unique_ptr<storage::Engine> engine_ = open_memory_engine();
  SeededRandom random_{1};
  ManualClock clock_{0};
};

}  // namespace partita::cloudwatch
