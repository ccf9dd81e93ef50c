#include "src/sampling/hotspot/compiled_methods.h"

#include <jvmticmlr.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace assay::sampling {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

// "Ljava/util/Map$Entry;" -> "java.util.Map$Entry"; a hidden class keeps its '/suffix'.
std::string ClassNameOf(const char* signature) {
  std::string name = signature;
  if (name.size() > 2 && name.front() == 'L' && name.back() == ';') {
    name = name.substr(1, name.size() - 2);
  }
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

const jvmtiCompiledMethodLoadInlineRecord* InlineRecordOf(const void* compile_info) {
  auto* header = static_cast<const jvmtiCompiledMethodLoadRecordHeader*>(compile_info);
  for (; header != nullptr; header = header->next) {
    if (header->kind == JVMTI_CMLR_INLINE_INFO) {
      return reinterpret_cast<const jvmtiCompiledMethodLoadInlineRecord*>(header);
    }
  }
  return nullptr;
}

// Everything here may be missing: native methods, classes without debug information.
void AddDebugInformation(jvmtiEnv* jvmti, jclass holder, MethodName* info) {
  char* file = nullptr;
  if (jvmti->GetSourceFileName(holder, &file) == JVMTI_ERROR_NONE && file != nullptr) {
    info->source_file = file;
    jvmti->Deallocate(reinterpret_cast<unsigned char*>(file));
  }
  jlocation first = 0;
  jlocation last = 0;
  if (jvmti->GetMethodLocation(info->id, &first, &last) == JVMTI_ERROR_NONE && last >= 0) {
    info->code_bytes = static_cast<uint32_t>(last) + 1 - info->shift;
  }
  jint count = 0;
  jvmtiLineNumberEntry* table = nullptr;
  if (jvmti->GetLineNumberTable(info->id, &count, &table) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count; i++) {
    auto start = std::max<jlocation>(table[i].start_location - info->shift, 0);
    info->lines.push_back({static_cast<uint16_t>(start),
                           static_cast<uint16_t>(table[i].line_number)});
  }
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(table));
  std::sort(info->lines.begin(), info->lines.end(),
            [](const auto& a, const auto& b) { return a.start_bci < b.start_bci; });
}

void AddBytecodes(jvmtiEnv* jvmti, MethodName* info) {
  constexpr jint kMost = 8000;  // what HotSpot compiles
  jint size = 0;
  unsigned char* bytes = nullptr;
  if (jvmti->GetBytecodes(info->id, &size, &bytes) != JVMTI_ERROR_NONE) return;
  if (size <= kMost) info->bytecodes.assign(bytes, bytes + size);
  jvmti->Deallocate(bytes);
}

}  // namespace

void CompiledMethods::Restart(Shift shift) {
  std::lock_guard lock(mutex_);
  shift_ = std::move(shift);
  code_.clear();
  dying_.clear();
  method_ids_.clear();
  methods_.clear();
  unnamed_.clear();
  inlined_.clear();
  told_of_inlining_ = false;
  votes_ = ShapeVotes();
}

uint32_t CompiledMethods::Intern(jmethodID method) {
  std::lock_guard lock(mutex_);
  return InternLocked(method);
}

uint32_t CompiledMethods::InternLocked(jmethodID method) {
  if (method == nullptr) return kNone;
  auto [it, is_new] = method_ids_.try_emplace(method, kNone);
  if (!is_new) return it->second;
  MethodName info{.id = method};
  if (!AskName(method, &info)) {
    method_ids_.erase(it);
    return kNone;
  }
  it->second = static_cast<uint32_t>(methods_.size());
  methods_.push_back(std::move(info));
  return it->second;
}

bool CompiledMethods::AskName(jmethodID method, MethodName* info) {
  char* name = nullptr;
  char* descriptor = nullptr;
  char* signature = nullptr;
  jclass holder = nullptr;
  bool known = jvmti_->GetMethodName(method, &name, &descriptor, nullptr) == JVMTI_ERROR_NONE &&
               jvmti_->GetMethodDeclaringClass(method, &holder) == JVMTI_ERROR_NONE &&
               jvmti_->GetClassSignature(holder, &signature, nullptr) == JVMTI_ERROR_NONE;
  if (known) {
    info->class_name = ClassNameOf(signature);
    info->name = name;
    info->descriptor = descriptor;
    if (shift_) info->shift = shift_(*info);
    AddDebugInformation(jvmti_, holder, info);
    if (keep_bytecodes_ && !shift_) AddBytecodes(jvmti_, info);  // not those that were rewritten
  }
  for (char* text : {name, descriptor, signature}) {
    if (text != nullptr) jvmti_->Deallocate(reinterpret_cast<unsigned char*>(text));
  }
  return known;
}

uint32_t CompiledMethods::Declare(jmethodID method) {
  if (method == nullptr) return kNone;
  std::lock_guard lock(mutex_);
  auto [it, is_new] = method_ids_.try_emplace(method, static_cast<uint32_t>(methods_.size()));
  if (is_new) {
    unnamed_.push_back(it->second);
    methods_.push_back({.id = method});
  }
  return it->second;
}

void CompiledMethods::NameDeclared() {
  std::lock_guard lock(mutex_);
  for (uint32_t index : unnamed_) {
    MethodName& info = methods_[index];
    if (!AskName(info.id, &info)) info.name = "<unloaded>";
  }
  unnamed_.clear();
}

void CompiledMethods::OnLoad(jmethodID method, const void* code, uint32_t size,
                             const void* compile_info, int32_t compilation) {
  auto begin = reinterpret_cast<uintptr_t>(code);
  auto entry = std::make_unique<Code>();
  entry->begin = begin;
  entry->end = begin + size;
  entry->compilation = compilation;
  std::lock_guard lock(mutex_);
  votes_.Observe({static_cast<const uint8_t*>(code), size}, begin);
  entry->method = InternLocked(method);
  if (auto* record = InlineRecordOf(compile_info)) {
    std::vector<uint32_t> order(record->numpcs);
    std::iota(order.begin(), order.end(), 0);
    auto offset = [&](uint32_t i) {
      return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(record->pcinfo[i].pc) - begin);
    };
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return offset(a) < offset(b); });
    for (uint32_t i : order) {
      const PCStackInfo& info = record->pcinfo[i];
      if (offset(i) > size) continue;
      entry->offsets.push_back(offset(i));
      entry->starts.push_back(static_cast<uint32_t>(entry->frames.size()));
      for (int f = 0; f < info.numstackframes; f++) {
        entry->frames.push_back({InternLocked(info.methods[f]), info.bcis[f]});
        uint32_t outer = entry->frames.back().method;
        if (f > 0 && outer != kNone) methods_[outer].inlined.insert(info.bcis[f]);
      }
    }
    entry->starts.push_back(static_cast<uint32_t>(entry->frames.size()));
  }
  // The VM queues events; the unload of what was here before may still be on its way.
  for (auto it = code_.lower_bound(begin); it != code_.begin() && std::prev(it)->second->end > begin;) {
    --it;
    dying_.push_back(std::move(it->second));
    it = code_.erase(it);
  }
  for (auto it = code_.lower_bound(begin); it != code_.end() && it->first < entry->end;) {
    if (it->first != begin) dying_.push_back(std::move(it->second));
    it = code_.erase(it);
  }
  code_[begin] = std::move(entry);
}

void CompiledMethods::CountInlined(const void* compile_info) {
  told_of_inlining_ = true;
  auto* record = InlineRecordOf(compile_info);
  if (record == nullptr) return;
  std::lock_guard lock(mutex_);
  for (int i = 0; i < record->numpcs; i++) {
    const PCStackInfo& info = record->pcinfo[i];
    for (int f = 1; f < info.numstackframes; f++) inlined_.insert({info.methods[f], info.bcis[f]});
  }
}

void CompiledMethods::OnUnload(const void* code) {
  std::lock_guard lock(mutex_);
  auto it = code_.find(reinterpret_cast<uintptr_t>(code));
  if (it == code_.end()) return;
  dying_.push_back(std::move(it->second));
  code_.erase(it);
}

void CompiledMethods::OnDynamicCode(const char* name, const void* code, uint32_t size) {
  std::lock_guard lock(mutex_);
  auto begin = reinterpret_cast<uintptr_t>(code);
  if (strcmp(name, "Interpreter") == 0) interpreter_ = {begin, begin + size};
  if (stubs_.size() < 100000) stubs_[begin] = name;
}

const CompiledMethods::Code* CompiledMethods::FindLocked(uintptr_t pc, int32_t compilation) const {
  auto holds = [&](const Code& code) {
    const bool same = compilation == 0 || code.compilation == 0 || code.compilation == compilation;
    return code.begin <= pc && pc < code.end && same;
  };
  auto it = code_.upper_bound(pc);
  if (it != code_.begin() && holds(*std::prev(it)->second)) return std::prev(it)->second.get();
  for (const auto& code : dying_) {
    if (holds(*code)) return code.get();
  }
  return nullptr;
}

std::vector<VirtualFrame> CompiledMethods::Lookup(uintptr_t pc, int32_t compilation, bool* exact, bool near) const {
  std::lock_guard lock(mutex_);
  *exact = false;
  const Code* code = FindLocked(pc, compilation);
  if (code == nullptr) return {};
  auto offset = static_cast<uint32_t>(pc - code->begin);
  auto it = std::lower_bound(code->offsets.begin(), code->offsets.end(), offset + near);
  if (it == code->offsets.end() || (*it != offset && !near)) return {{code->method, -1}};
  *exact = true;
  size_t i = it - code->offsets.begin();
  return {code->frames.begin() + code->starts[i], code->frames.begin() + code->starts[i + 1]};
}

MethodName CompiledMethods::Name(uint32_t method) const {
  std::lock_guard lock(mutex_);
  return method < methods_.size() ? methods_[method] : MethodName{};
}

uint32_t CompiledMethods::ShiftOf(uint32_t method) const {
  std::lock_guard lock(mutex_);
  return method < methods_.size() ? methods_[method].shift : 0;
}

std::vector<CompiledMethods::Range> CompiledMethods::Unloaded() const {
  std::lock_guard lock(mutex_);
  std::vector<Range> ranges;
  for (const auto& code : dying_) ranges.push_back({code->begin, code->end});
  return ranges;
}

void CompiledMethods::Forget(const std::vector<Range>& ranges) {
  std::lock_guard lock(mutex_);
  dying_.erase(dying_.begin(), dying_.begin() + std::min(ranges.size(), dying_.size()));
}

ShapeVotes CompiledMethods::votes() const {
  std::lock_guard lock(mutex_);
  return votes_;
}

bool CompiledMethods::dissent() const {
  std::lock_guard lock(mutex_);
  return votes_.dissent();
}

std::string CompiledMethods::StubNameAt(uintptr_t address) const {
  std::lock_guard lock(mutex_);
  auto it = stubs_.find(address);
  return it == stubs_.end() ? "" : it->second;
}

size_t CompiledMethods::InlinedCallSites() const {
  std::lock_guard lock(mutex_);
  size_t sites = inlined_.size();
  for (const MethodName& method : methods_) sites += method.inlined.size();
  return sites;
}

CompiledMethods::Range CompiledMethods::interpreter() const {
  std::lock_guard lock(mutex_);
  return interpreter_;
}

std::vector<CompiledMethods::Range> CompiledMethods::Sample(size_t count) const {
  std::lock_guard lock(mutex_);
  std::vector<Range> ranges;
  for (const auto& [begin, code] : code_) {
    if (ranges.size() == count) break;
    ranges.push_back({begin, code->end});
  }
  return ranges;
}

size_t CompiledMethods::size() const {
  std::lock_guard lock(mutex_);
  return code_.size();
}

}  // namespace assay::sampling
