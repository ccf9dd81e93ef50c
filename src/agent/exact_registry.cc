#include "src/agent/exact_registry.h"

#include <algorithm>

#include "src/agent/exact_memory.h"
#include "src/classfile/constants.h"

namespace assay::agent {
namespace {

std::string Key(std::string_view a, std::string_view b, std::string_view c = {}) {
  std::string key;
  key.reserve(a.size() + b.size() + c.size() + 2);
  key.append(a).append(1, '\0').append(b).append(1, '\0').append(c);
  return key;
}

// Reads LineNumberTable attributes of a Code attribute without decoding the code.
std::vector<profile::LineEntry> ReadLines(const classfile::ClassFile& file, ByteSpan code,
                                          uint32_t* length) {
  std::vector<profile::LineEntry> lines;
  ByteReader reader(code);
  reader.Skip(4);
  *length = reader.U4();
  reader.Skip(*length);
  reader.Skip(size_t{8} * reader.U2());
  if (!reader.ok()) return lines;
  classfile::AttributeReader attributes(code.subspan(reader.position()));
  for (classfile::Attribute attribute; attributes.Next(&attribute);) {
    if (file.pool.Utf8(attribute.name_index) != "LineNumberTable") continue;
    ByteReader table(attribute.content);
    for (uint16_t left = table.U2(); left > 0 && table.ok(); --left) {
      uint16_t start = table.U2();
      lines.push_back({start, table.U2()});
    }
  }
  std::sort(lines.begin(), lines.end(),
            [](const auto& a, const auto& b) { return a.start_bci < b.start_bci; });
  return lines;
}

}  // namespace

std::string SourceName(std::string_view internal_name) {
  std::string name(internal_name);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

ExactRegistry::ExactRegistry() {
  methods_.resize(1);  // method 0: the declared target of a site
  sites_.resize(ExactMemory::kFirstSite);
  name_and_types_[Key("<clinit>", "()V")] = ExactMemory::kStaticInitializer;
}

uint32_t ExactRegistry::InternMethod(std::string_view class_name, std::string_view name,
                                     std::string_view descriptor) {
  auto [it, added] = method_ids_.try_emplace(Key(class_name, name, descriptor),
                                             static_cast<uint32_t>(methods_.size()));
  if (added) {
    methods_.push_back({.class_name = SourceName(class_name),
                        .name = std::string(name),
                        .descriptor = std::string(descriptor)});
  }
  return it->second;
}

uint32_t ExactRegistry::Method(std::string_view class_name, std::string_view name,
                               std::string_view descriptor) {
  std::lock_guard lock(mutex_);
  return InternMethod(class_name, name, descriptor);
}

uint32_t ExactRegistry::Site(uint32_t method, int32_t bci, const classfile::MemberRef& target) {
  std::lock_guard lock(mutex_);
  uint64_t key = static_cast<uint64_t>(method) << 32 | static_cast<uint32_t>(bci);
  auto [it, added] = site_ids_.try_emplace(key, static_cast<uint32_t>(sites_.size()));
  if (added) {
    sites_.push_back({method, bci, std::string(target.owner), std::string(target.name),
                      std::string(target.descriptor)});
  }
  return it->second;
}

uint32_t ExactRegistry::NameAndType(std::string_view name, std::string_view descriptor) {
  std::lock_guard lock(mutex_);
  auto [it, added] = name_and_types_.try_emplace(Key(name, descriptor),
                                                 static_cast<uint32_t>(name_and_types_.size() + 1));
  return it->second;
}

void ExactRegistry::AddClass(const classfile::ClassFile& file) {
  std::string source_file;
  if (ByteSpan source = file.FindAttribute(file.attributes, "SourceFile"); source.size() == 2) {
    source_file = file.pool.Utf8(ByteReader(source).U2());
  }
  ClassInfo info;
  info.super = file.SuperName();
  for (const classfile::Method& method : file.methods) {
    info.declared.push_back(NameAndType(file.NameOf(method), file.DescriptorOf(method)));
  }
  std::lock_guard lock(mutex_);
  classes_[std::string(file.Name())] = std::move(info);
  for (const classfile::Method& method : file.methods) {
    if (method.code.empty()) continue;
    MethodInfo& known =
        methods_[InternMethod(file.Name(), file.NameOf(method), file.DescriptorOf(method))];
    known.source_file = source_file;
    known.lines = ReadLines(file, method.code, &known.code_bytes);
  }
}

void ExactRegistry::AddSkipped(std::string method, std::string reason) {
  std::lock_guard lock(mutex_);
  skipped_.push_back({std::move(method), std::move(reason)});
}

void ExactRegistry::AddLost(const std::string& reason, uint64_t count) {
  std::lock_guard lock(mutex_);
  lost_[reason] += count;
}

ExactRegistry::SiteInfo ExactRegistry::site(uint32_t id) const {
  std::lock_guard lock(mutex_);
  return id < sites_.size() ? sites_[id] : SiteInfo{};
}

profile::Method ExactRegistry::Describe(uint32_t method) const {
  std::lock_guard lock(mutex_);
  if (method >= methods_.size()) return {};
  const MethodInfo& info = methods_[method];
  return {.class_name = info.class_name, .name = info.name, .descriptor = info.descriptor};
}

// A call that no entry probe saw reached a native method (or one that was left alone): the first
// class from the named one upwards that declares it (JVMS 5.4.3.3).
std::string ExactRegistry::DeclaringClass(const SiteInfo& site) const {
  if (site.owner.starts_with('[')) return "java/lang/Object";
  auto wanted = name_and_types_.find(Key(site.name, site.descriptor));
  if (wanted == name_and_types_.end()) return site.owner;
  std::string name = site.owner;
  for (int depth = 0; depth < 1000; ++depth) {
    auto it = classes_.find(name);
    if (it == classes_.end()) break;
    const auto& declared = it->second.declared;
    if (std::find(declared.begin(), declared.end(), wanted->second) != declared.end()) return name;
    name = it->second.super;
  }
  return site.owner;
}

void ExactRegistry::BeginProfile() {
  std::lock_guard lock(mutex_);
  for (MethodInfo& method : methods_) method.in_profile = 0;
  targets_.clear();
  skipped_.clear();
  lost_.clear();
}

profile::MethodId ExactRegistry::ProfileMethod(profile::Profile& profile, uint32_t method) {
  std::lock_guard lock(mutex_);
  if (method >= methods_.size()) return 0;
  MethodInfo& info = methods_[method];
  if (info.in_profile == 0) {
    info.in_profile = profile.InternMethod(info.class_name, info.name, info.descriptor);
    profile::Method& target = profile.method(info.in_profile);
    target.source_file = info.source_file;
    target.code_bytes = info.code_bytes;
    target.lines = info.lines;
  }
  return info.in_profile;
}

profile::MethodId ExactRegistry::ProfileTarget(profile::Profile& profile, uint32_t site) {
  std::lock_guard lock(mutex_);
  auto [it, added] = targets_.try_emplace(site, 0);
  if (added) {
    const SiteInfo& info = sites_[site];
    it->second = info.name.empty() ? profile.InternMethod("", "<not rewritten>", "")
                                   : profile.InternMethod(SourceName(DeclaringClass(info)),
                                                          info.name, info.descriptor);
  }
  return it->second;
}

void ExactRegistry::MoveNotes(profile::Profile& profile) {
  std::lock_guard lock(mutex_);
  for (auto& skipped : skipped_) profile.skipped_methods.push_back(std::move(skipped));
  skipped_.clear();
  for (const auto& [reason, count] : lost_) profile.lost[reason] = count;
}

}  // namespace assay::agent
