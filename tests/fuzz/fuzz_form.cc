// Calls of IAM and STS: whatever is sent, what is stored is what was said, and is read again as it was written.
//
// Input: a call in each line, but for its Version.
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "engines/memory/memory_engine.h"
#include "iam/calls.h"
#include "iam/directory.h"
#include "input.h"
#include "wire/form_reader.h"

namespace partita::fuzz {
namespace {

class Anybody final : public iam::PolicyChecker {
 public:
  Result<void> check(std::string_view, const iam::Subject&) override { return {}; }
};

std::string answer(iam::Directory& directory, const Clock& clock, std::string_view body) {
  const auto form = wire::Form::parse(body);
  if (!form.ok()) return {};
  const auto call = iam::find_call(*form);
  if (!call.ok()) return {};
  const auth::Caller root{.access_key_id = "K", .region = "r", .account_id = "123456789012"};
  Anybody anybody;
  const auto said = wait_for(iam::carry_out(directory, **call, *form, root, clock.now_ms(), anybody));
  return said.ok() ? *said : std::string();
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita::fuzz;
  constexpr std::string_view kAll = "Action=GetAccountAuthorizationDetails&Version=2010-05-08";
  const partita::ManualClock clock(1'767'323'045'000);
  const auto engine = partita::open_memory_engine();
  partita::iam::Directory directory(*engine, clock);
  Input in(data, size);
  while (!in.empty()) {
    const std::string line(in.line());
    const bool sts = line.find("Role&") != std::string::npos && line.find("Arn=") != std::string::npos;
    answer(directory, clock, line + (sts ? "&Version=2011-06-15" : "&Version=2010-05-08"));
  }
  partita::iam::Directory other(*engine, clock);
  PARTITA_CHECK(answer(directory, clock, kAll) == answer(other, clock, kAll));
  return 0;
}
