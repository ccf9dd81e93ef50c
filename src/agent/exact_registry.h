// The numbers in the exact collector's probes, and what they stand for: methods, call sites and
// name-and-types, plus enough of the class hierarchy to name the native method that a call reached.
// Thread-safe: classes are rewritten on many threads while snapshots read.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/instrument/exact_pass.h"
#include "src/profile/profile.h"

namespace assay::agent {

class ExactRegistry : public instrument::ExactIds {
 public:
  ExactRegistry();

  uint32_t Method(std::string_view class_name, std::string_view name,
                  std::string_view descriptor) override;
  uint32_t Site(uint32_t method, int32_t bci, const classfile::MemberRef& target) override;
  uint32_t NameAndType(std::string_view name, std::string_view descriptor) override;

  // Notes a class's super class and methods, and details of its methods (lines, source).
  void AddClass(const classfile::ClassFile& file);
  void AddSkipped(std::string method, std::string reason);
  void AddLost(const std::string& reason, uint64_t count = 1);

  struct SiteInfo {
    uint32_t method = 0;
    int32_t bci = profile::kNoBci;
    std::string owner;
    std::string name;
    std::string descriptor;
  };
  SiteInfo site(uint32_t id) const;
  profile::Method Describe(uint32_t method) const;  // class, name and descriptor only

  // A new session writes a new profile: forgets translations and notes of the last one.
  void BeginProfile();
  // Translates into the names of a profile. Both remember what they translated for this profile.
  profile::MethodId ProfileMethod(profile::Profile& profile, uint32_t method);
  profile::MethodId ProfileTarget(profile::Profile& profile, uint32_t site);
  // Hands over skipped methods and losses noted since the last call.
  void MoveNotes(profile::Profile& profile);

 private:
  struct MethodInfo {
    std::string class_name;
    std::string name;
    std::string descriptor;
    std::string source_file;
    uint32_t code_bytes = 0;
    std::vector<profile::LineEntry> lines;
    profile::MethodId in_profile = 0;
  };
  struct ClassInfo {
    std::string super;
    std::vector<uint32_t> declared;  // name-and-types
  };
  uint32_t InternMethod(std::string_view class_name, std::string_view name,
                        std::string_view descriptor);
  std::string DeclaringClass(const SiteInfo& site) const;

  mutable std::mutex mutex_;
  std::vector<MethodInfo> methods_;
  std::vector<SiteInfo> sites_;
  std::unordered_map<std::string, uint32_t> method_ids_;
  std::unordered_map<uint64_t, uint32_t> site_ids_;
  std::unordered_map<std::string, uint32_t> name_and_types_;
  std::unordered_map<std::string, ClassInfo> classes_;
  std::unordered_map<uint32_t, profile::MethodId> targets_;
  std::vector<profile::SkippedMethod> skipped_;
  std::map<std::string, uint64_t> lost_;
};

// "java/util/Map$Entry" -> "java.util.Map$Entry"
std::string SourceName(std::string_view internal_name);

}  // namespace assay::agent
