#include "src/cli/finished_profile.h"

#include "src/cli/commands.h"
#include "src/profile/reader.h"

namespace assay::cli {

profile::Profile ReadSessionProfile(const std::string& path, bool must_be_finished) {
  auto profile = profile::ReadProfile(path);
  if (!profile.ok()) {
    throw CommandError("no usable profile in " + path + ": " + profile.error().ToString(),
                       kRefused);
  }
  if (!profile->metadata.contains("collect")) {
    throw CommandError(
        "nothing was profiled: " + path +
            " was begun and nothing was written to it; either Assay refused (it said "
            "why when the JVM started), or the disk is full",
        kRefused);
  }
  auto ended = profile->metadata.find("ended");
  if (must_be_finished && ended != profile->metadata.end() && ended->second == "unfinished") {
    throw CommandError(
        "the profile in " + path +
            " is not finished: its JVM still runs, was halted, or could not write (is "
            "the disk full?); assay show tells what there is",
        kRefused);
  }
  return std::move(*profile);
}

}  // namespace assay::cli
