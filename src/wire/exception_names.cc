// What AWS calls each exception.
#include <array>

#include "base/check.h"
#include "wire/fault_table.h"

namespace partita::wire {
namespace {

constexpr std::string_view kDynamo = "com.amazonaws.dynamodb.v20120810";
constexpr std::string_view kService = "com.amazon.coral.service";
constexpr std::string_view kValidate = "com.amazon.coral.validate";
constexpr std::string_view kScaling = "com.amazonaws.applicationautoscaling";
constexpr std::string_view kDax = "com.amazonaws.dax";
constexpr std::string_view kIam = "com.amazonaws.iam.v20100508";
constexpr std::string_view kCloudWatch = "com.amazonaws.cloudwatch.v2010_08_01";
constexpr std::string_view kAvailability = "com.amazon.coral.availability";

constexpr std::array kNames = {
#define PARTITA_EXCEPTION(name, ...) ExceptionName{Exception::name, __VA_ARGS__},
#include "wire/exceptions.inc"
#undef PARTITA_EXCEPTION
};

}  // namespace

const ExceptionName& name_of(Exception exception) {
  PARTITA_CHECK(exception < Exception::kCount);
  return kNames[static_cast<size_t>(exception)];
}

}  // namespace partita::wire
