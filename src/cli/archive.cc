#include "src/cli/archive.h"

#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>

#include "src/base/replaced_file.h"
#include "src/cli/commands.h"
#include "src/cli/load.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Fail(const std::string& path, const std::string& reason) {
  throw CommandError(path + ": " + reason);
}

ByteVector ReadEntry(zip_t* zip, uint64_t index, const std::string& path) {
  zip_stat_t stat;
  zip_file_t* file = nullptr;
  if (zip_stat_index(zip, index, 0, &stat) != 0 || (stat.valid & ZIP_STAT_SIZE) == 0 ||
      (file = zip_fopen_index(zip, index, 0)) == nullptr) {
    Fail(path, zip_strerror(zip));
  }
  ByteVector content(stat.size);
  int64_t got = zip_fread(file, content.data(), content.size());
  std::string error = zip_file_strerror(file);
  zip_fclose(file);
  if (got != static_cast<int64_t>(content.size())) {
    Fail(path, std::string(stat.name) + " cannot be read: " + error);
  }
  return content;
}

// A file beside `target` that is gone at the end, however that comes about, unless it took the
// target's place.
class Temporary {
 public:
  explicit Temporary(const std::string& target)
      : target_(target), path_(target + ".tmp" + std::to_string(getpid())) {}
  ~Temporary() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::string& path() const { return path_; }
  void TakePlace() { fs::rename(path_, target_); }

 private:
  const std::string target_;
  const std::string path_;
};

std::string Target(const std::string& output) {
  Result<std::string> target = ReplacedFile(output);
  if (!target.ok()) throw CommandError(target.error().message);
  return *target;
}

// libzip rewrites a jar in place and copies what did not change as it is; so the output begins as a
// copy of the input.
class ZipArchive : public Archive {
 public:
  ZipArchive(const std::string& input, const std::string& output)
      : output_(output), temporary_(Target(output)) {
    const std::string& copy = temporary_.path();
    std::error_code error;
    fs::copy_file(input, copy, fs::copy_options::overwrite_existing, error);
    if (error) Fail(output, "cannot be written: " + error.message());
    fs::permissions(copy, fs::perms::owner_write, fs::perm_options::add, error);
    int code = 0;
    zip_ = zip_open(copy.c_str(), ZIP_CHECKCONS, &code);
    if (zip_ == nullptr) {
      zip_error_t reason;
      zip_error_init_with_code(&reason, code);
      std::string text = zip_error_strerror(&reason);
      zip_error_fini(&reason);
      Fail(input, "is not a jar that can be read: " + text);
    }
    const int64_t count = zip_get_num_entries(zip_, 0);
    for (int64_t i = 0; i < count; ++i) {
      const char* name = zip_get_name(zip_, static_cast<uint64_t>(i), ZIP_FL_ENC_RAW);
      std::string text = name == nullptr ? "" : name;
      if (text.empty() || text.back() == '/') continue;
      names_.push_back(text);
      indices_.push_back(static_cast<uint64_t>(i));
    }
  }
  ~ZipArchive() override {
    if (zip_ != nullptr) zip_discard(zip_);
  }

  const std::vector<std::string>& names() const override { return names_; }
  ByteVector Read(size_t file) override { return ReadEntry(zip_, indices_[file], output_); }

  void Replace(size_t file, ByteVector content) override {
    zip_stat_t stat;
    zip_stat_index(zip_, indices_[file], 0, &stat);
    Check(zip_file_replace(zip_, indices_[file], Source(std::move(content)), 0));
    Check(zip_set_file_compression(
        zip_, indices_[file], stat.comp_method == ZIP_CM_STORE ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0));
    if ((stat.valid & ZIP_STAT_MTIME) != 0) {
      Check(zip_file_set_mtime(zip_, indices_[file], stat.mtime, 0));
    }
  }
  void Remove(size_t file) override { Check(zip_delete(zip_, indices_[file])); }
  void Add(const std::string& name, ByteVector content) override {
    int64_t index = zip_file_add(zip_, name.c_str(), Source(std::move(content)), ZIP_FL_ENC_UTF_8);
    Check(index);
    Check(zip_file_set_mtime(zip_, static_cast<uint64_t>(index), kAddedTime, 0));
  }
  void Commit() override {
    if (zip_close(zip_) != 0) Fail(output_, zip_strerror(zip_));
    zip_ = nullptr;
    temporary_.TakePlace();
  }

 private:
  static constexpr time_t kAddedTime =
      1577880000;  // 2020-01-01, so that equal input gives equal output

  zip_source_t* Source(ByteVector content) {
    contents_.push_back(std::move(content));
    zip_source_t* source =
        zip_source_buffer(zip_, contents_.back().data(), contents_.back().size(), 0);
    if (source == nullptr) Fail(output_, zip_strerror(zip_));
    return source;
  }
  void Check(int64_t result) {
    if (result < 0) Fail(output_, zip_strerror(zip_));
  }

  const std::string output_;
  Temporary temporary_;
  zip_t* zip_ = nullptr;
  std::vector<std::string> names_;
  std::vector<uint64_t> indices_;
  std::deque<ByteVector> contents_;  // libzip reads them at the end
};

class FolderArchive : public Archive {
 public:
  FolderArchive(const std::string& input, const std::string& output)
      : input_(input), output_(output) {
    if (fs::exists(output_) && !fs::is_directory(output_))
      Fail(output, "exists and is not a folder");
    if (fs::exists(output_) && !fs::is_empty(output_)) Fail(output, "exists and is not empty");
    for (const auto& entry : fs::recursive_directory_iterator(input_)) {
      if (entry.is_regular_file())
        names_.push_back(entry.path().lexically_relative(input_).string());
    }
    std::sort(names_.begin(), names_.end());
    changed_.resize(names_.size());
  }

  const std::vector<std::string>& names() const override { return names_; }
  ByteVector Read(size_t file) override {
    const std::string content = ReadFile((input_ / names_[file]).string());
    return {content.begin(), content.end()};
  }
  void Replace(size_t file, ByteVector content) override {
    changed_[file] = true;
    Add(names_[file], std::move(content));
  }
  void Remove(size_t file) override { changed_[file] = true; }
  void Add(const std::string& name, ByteVector content) override {
    added_.push_back({name, std::move(content)});
  }
  void Commit() override {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (changed_[i]) continue;
      fs::create_directories((output_ / names_[i]).parent_path());
      fs::copy_file(input_ / names_[i], output_ / names_[i]);
    }
    for (const MemoryFile& file : added_) {
      fs::create_directories((output_ / file.name).parent_path());
      std::ofstream out(output_ / file.name, std::ios::binary);
      out.write(reinterpret_cast<const char*>(file.content.data()),
                static_cast<std::streamsize>(file.content.size()));
      if (!out.flush()) Fail((output_ / file.name).string(), "cannot be written");
    }
  }

 private:
  const fs::path input_;
  const fs::path output_;
  std::vector<std::string> names_;
  std::vector<bool> changed_;
  std::vector<MemoryFile> added_;
};

}  // namespace

std::unique_ptr<Archive> OpenArchive(const std::string& input, const std::string& output) {
  if (access(input.c_str(), R_OK) != 0) {
    Fail(input,
         errno == ENOENT ? "does not exist" : std::string("cannot be read: ") + strerror(errno));
  }
  RefuseInput(output, {input});
  try {
    if (fs::is_directory(input)) return std::make_unique<FolderArchive>(input, output);
    if (!fs::is_regular_file(input)) Fail(input, "is neither a jar nor a folder");
    return std::make_unique<ZipArchive>(input, output);
  } catch (const fs::filesystem_error& failure) {
    throw CommandError(failure.what());
  }
}

std::vector<MemoryFile> ReadJar(ByteSpan jar) {
  const std::string name = "assay-runtime.jar";
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(jar.data(), jar.size(), 0, &error);
  zip_t* zip = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error);
  if (zip == nullptr) Fail(name, zip_error_strerror(&error));
  std::vector<MemoryFile> files;
  const int64_t count = zip_get_num_entries(zip, 0);
  for (int64_t i = 0; i < count; ++i) {
    std::string entry = zip_get_name(zip, static_cast<uint64_t>(i), 0);
    if (entry.back() != '/') {
      files.push_back({entry, ReadEntry(zip, static_cast<uint64_t>(i), name)});
    }
  }
  zip_discard(zip);
  return files;
}

}  // namespace assay::cli
