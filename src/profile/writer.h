// Writes a profile as a log of chunks (format.h): each Flush appends what changed since the last
// one and then moves the committed length in the header, so a process killed at any instant leaves
// a file that reads as of its last flush. Rewrites the file compactly when the log has grown too
// far. Agent thread only; never from a signal handler.
#pragma once

#include <memory>
#include <string>

#include "src/base/result.h"
#include "src/profile/profile.h"

namespace assay::profile {

class ProfileWriter {
 public:
  // What is at `path` stays until Publish.
  static Result<std::unique_ptr<ProfileWriter>> Create(const std::string& path);
  ~ProfileWriter();

  // Puts the file, empty or not, where it belongs.
  Status Publish();

  // Appends everything of `profile` that changed since the previous call. The same Profile object
  // must be passed each time. It only grows and is updated in place; after a ForgetGraph or Restart
  // the file is written anew.
  Status Flush(const Profile& profile);
  // Flushes and marks the file as properly ended.
  Status Finish(const Profile& profile);

 private:
  struct State;
  explicit ProfileWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Writes a whole profile at once, through a temporary file and a rename.
Status WriteProfile(const Profile& profile, const std::string& path);

}  // namespace assay::profile
