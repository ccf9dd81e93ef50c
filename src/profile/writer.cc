#include "src/profile/writer.h"

#include <algorithm>
#include <utility>

#include "src/profile/encoder.h"
#include "src/profile/log_file.h"

namespace assay::profile {
namespace {

// The log is rewritten when it is this much larger than its compact form was, and not small.
constexpr uint64_t kGrowth = 4;
constexpr uint64_t kSmall = 1 << 20;

}  // namespace

struct ProfileWriter::State {
  std::string path;
  LogFile file;
  Encoder encoder;
  uint64_t compact_bytes = 0;  // size after the last rewrite
  uint64_t flushes = 0;        // appended so far
  uint64_t edition = 0;        // of the profile in the file
  bool broken = false;         // the encoder is ahead of the file after an error

  // Writes everything into a new file that replaces the log.
  Status Rewrite(const Profile& profile, bool end) {
    ASSAY_ASSIGN(LogFile fresh, LogFile::Open(path));
    Encoder encoder_from_zero;
    encoder_from_zero.Encode(profile, fresh);
    if (end) Encoder::EncodeEnd(profile, fresh);
    ASSAY_TRY(fresh.Commit());
    ASSAY_TRY(fresh.Publish());
    file = std::move(fresh);
    encoder = std::move(encoder_from_zero);
    compact_bytes = file.committed();
    edition = profile.edition();
    broken = false;
    return {};
  }

  Status Write(const Profile& profile, bool end) {
    bool grown = file.committed() > std::max(kSmall, kGrowth * compact_bytes);
    bool log = flushes > 0 && file.committed() > compact_bytes;
    bool other_ids = edition != profile.edition();
    if (broken || other_ids || grown || (end && log)) {
      // Without room for a second copy of the file, appending may still work.
      Status status = Rewrite(profile, end);
      if (status.ok() || broken || other_ids) return status;
    }
    ++flushes;
    encoder.Encode(profile, file);
    if (end) Encoder::EncodeEnd(profile, file);
    Status status = file.Commit();
    broken = !status.ok();
    return status;
  }
};

ProfileWriter::ProfileWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProfileWriter::~ProfileWriter() = default;

Result<std::unique_ptr<ProfileWriter>> ProfileWriter::Create(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  ASSAY_ASSIGN(state->file, LogFile::Open(path));
  return std::unique_ptr<ProfileWriter>(new ProfileWriter(std::move(state)));
}

Status ProfileWriter::Publish() { return state_->file.Publish(); }
Status ProfileWriter::Flush(const Profile& profile) { return state_->Write(profile, false); }
Status ProfileWriter::Finish(const Profile& profile) { return state_->Write(profile, true); }

Status WriteProfile(const Profile& profile, const std::string& path) {
  ASSAY_ASSIGN(LogFile file, LogFile::Open(path));
  Encoder encoder;
  encoder.Encode(profile, file);
  Encoder::EncodeEnd(profile, file);
  ASSAY_TRY(file.Commit());
  return file.Publish();
}

}  // namespace assay::profile
