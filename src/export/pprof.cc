// pprof's profile.proto (github.com/google/pprof/proto), gzip'd. Every stack is a sample with all
// the values of ValueKinds(); the first is the default. Locations of callers carry the line of the
// call.
#include <zlib.h>

#include "src/export/export.h"
#include "src/export/proto.h"
#include "src/export/stacks.h"
#include "src/export/symbols.h"
#include "src/profile/names.h"

namespace assay::exporting {
namespace {

using profile::Profile;

ProtoWriter ValueType(const ValueKind& kind, StringTable& strings) {
  ProtoWriter out;
  out.Int(1, strings.Id(kind.name));
  out.Int(2, strings.Id(kind.unit));
  return out;
}

void Samples(const Profile& profile, LocationTable& locations, ProtoWriter& out) {
  std::vector<int64_t> ids;
  ForEachStack(profile, [&](const StackView& stack) {
    ids.clear();
    for (size_t i = stack.frames.size(); i-- > 0;) ids.push_back(locations.Id(stack.frames[i]));
    ProtoWriter sample;
    sample.Packed(1, ids);
    sample.Packed(2, stack.values);
    out.Message(2, sample);
  });
}

void Symbols(const Profile& profile, const LocationTable& locations, StringTable& strings,
             ProtoWriter& out) {
  for (size_t i = 0; i < locations.locations().size(); ++i) {
    const LocationTable::Location& location = locations.locations()[i];
    ProtoWriter line, message;
    line.Int(1, location.function);
    line.Int(2, location.line);
    message.Int(1, static_cast<int64_t>(i + 1));
    message.Message(4, line);
    out.Message(4, message);
  }
  std::vector<std::string> names = profile::FrameNames(profile);
  for (size_t i = 0; i < locations.functions().size(); ++i) {
    const profile::Method& method = profile.method(locations.functions()[i]);
    ProtoWriter message;
    message.Int(1, static_cast<int64_t>(i + 1));
    message.Int(2, strings.Id(names[locations.functions()[i]]));
    message.Int(3, strings.Id(method.ToString()));
    message.Int(4, strings.Id(SourcePath(method)));
    message.Int(5, FirstLine(method));
    out.Message(5, message);
  }
}

Result<std::string> Gzip(const std::string& bytes) {
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return Error{"zlib does not start"};
  }
  std::string out;
  char buffer[64 << 10];
  size_t given = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      size_t count = std::min<size_t>(bytes.size() - given, 1 << 30);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + given));
      stream.avail_in = static_cast<uInt>(count);
      given += count;
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    status = deflate(&stream, given == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    if (status == Z_STREAM_ERROR) break;
    out.append(buffer, sizeof buffer - stream.avail_out);
  }
  deflateEnd(&stream);
  if (status != Z_STREAM_END) return Error{"zlib failed"};
  return out;
}

}  // namespace

Result<std::string> WritePprof(const Profile& profile) {
  ProtoWriter out;
  StringTable strings;
  LocationTable locations(profile);
  std::vector<ValueKind> kinds = ValueKinds(profile);
  for (const ValueKind& kind : kinds) out.Message(1, ValueType(kind, strings));
  Samples(profile, locations, out);
  Symbols(profile, locations, strings, out);
  out.Int(9, StartUnixNs(profile));
  out.Int(10, DurationNs(profile));
  std::vector<int64_t> comments;
  for (const auto& [key, value] : profile.metadata)
    comments.push_back(strings.Id(key + ": " + value));
  out.Packed(13, comments);
  out.Int(14, strings.Id(kinds[0].name));
  for (const std::string& text : strings.strings()) out.Text(6, text);
  return Gzip(out.bytes());
}

}  // namespace assay::exporting
