// Buckets of S3, and of servers that speak its protocol, as destinations of changes.
#include <memory>
#include <utility>

#include "auth/text_util.h"
#include "sinks/change_files.h"
#include "sinks/s3_place.h"
#include "sinks/s3_store.h"

namespace partita::sinks {

Result<std::unique_ptr<ChangeDestination>> make_s3_destination(const ChangeSettings& settings, std::stop_token hurry) {
  constexpr size_t kUsualBytes = size_t{4} << 20;
  auto options = settings.options;
  const bool is_usual = !options.contains("max-mib");
  PARTITA_TRY(ChangeFilesOptions taken, ChangeFilesOptions::take(options));
  if (is_usual) taken.most_bytes = kUsualBytes;
  taken.one_at_a_time = true;  // bodies of requests are in memory
  std::string region = settings.region;
  if (const auto found = options.find("region"); found != options.end()) {
    region = std::move(found->second);
    options.erase(found);
  }
  if (!auth::is_region(region)) {
    return Error(ErrorKind::kInvalid, "The option region is a region such as us-east-1.");
  }
  if (!options.empty()) {
    return Error(ErrorKind::kInvalid,
                 "S3 has no option " + options.begin()->first + ": region, max-mib, max-seconds or compression.");
  }
  PARTITA_TRY(S3Place place, S3Place::parse(settings.url, region));
  if (place.is_aws && settings.credentials_file.empty()) {
    return Error(ErrorKind::kInvalid, "A bucket of AWS needs --credentials FILE, with an access key.");
  }
  place.credentials_file = settings.credentials_file;
  place.authority_file = settings.authority_file;
  auto store = make_s3_store(std::move(place), std::move(hurry));
  return std::unique_ptr<ChangeDestination>(
      std::make_unique<ChangeFiles>(settings, taken, std::move(store), system_clock()));
}

}  // namespace partita::sinks
