#include "tests/corpus/transforms.h"

#include "src/bytecode/catch_all.h"
#include "src/bytecode/clone.h"
#include "src/bytecode/code_builder.h"
#include "src/bytecode/decode.h"
#include "src/bytecode/infer_frames.h"
#include "src/bytecode/max_stack.h"
#include "src/instrument/count_pass.h"
#include "src/instrument/devirtualize_pass.h"
#include "src/instrument/duplicate.h"
#include "src/instrument/entry_probe.h"
#include "src/instrument/exact_pass.h"

namespace assay::corpus {

using bytecode::Code;
using bytecode::CodeBuilder;
using bytecode::Element;
using bytecode::Label;
using bytecode::Op;
using classfile::ClassFile;
using classfile::Method;
using V = bytecode::VerificationType;

namespace {

constexpr const char* kOwner = "java/lang/Thread";

Status Reencode(ClassFile&, const Method&, Code&) { return {}; }

Status Entry(ClassFile& file, const Method&, Code& code) {
  CodeBuilder build(file, code);
  build.InvokeStatic(kOwner, "onSpinWait", "()V");
  for (const Element& element : build.Old()) build.Copy(element);
  return build.Finish();
}

Status Wrap(ClassFile& file, const Method& method, Code& code) {
  uint16_t slot = code.AddLocal({V::kLong, 0}, true);
  CodeBuilder build(file, code);
  build.InvokeStatic("java/lang/System", "nanoTime", "()J");
  build.Store(Op::kLstore, slot);
  Label begin = build.Here();
  for (const Element& element : build.Old()) {
    if (element.IsInstruction() && bytecode::IsReturn(element.op)) {
      build.Load(Op::kLload, slot);
      build.PushLong(1234567890123);
      build.InvokeStatic("java/lang/Math", "max", "(JJ)J");
      build.Store(Op::kLstore, slot);
    }
    build.Copy(element);
  }
  Label end = build.Here();
  ASSAY_TRY(build.Finish());
  ASSAY_ASSIGN(auto regions, bytecode::AddCatchAll(file, method, code, begin, end));
  CodeBuilder handlers(file, code, CodeBuilder::Append{});
  for (const auto& region : regions) {
    handlers.Bind(region.handler);
    handlers.Frame(region.frame);
    handlers.Load(Op::kLload, slot);
    handlers.Emit(Op::kPop2);
    handlers.Emit(Op::kAthrow);
  }
  ASSAY_TRY(handlers.Finish());
  return bytecode::ComputeMaxStack(file.pool, code);
}

Status Clone(ClassFile& file, const Method& method, Code& code) {
  ASSAY_TRY(bytecode::EnsureEntryFrame(file, method, code));
  CodeBuilder build(file, code);
  bytecode::LabelMap map = bytecode::MapLabels(code, build.Old());
  Label second = build.NewLabel();
  build.InvokeStatic("java/lang/System", "nanoTime", "()J");
  build.Emit(Op::kL2i);
  build.Jump(Op::kIfeq, second);
  for (const Element& element : build.Old()) build.Copy(element);
  build.Bind(second);
  code.frames.push_back(code.entry);
  build.Frame(static_cast<uint32_t>(code.frames.size() - 1));
  for (const Element& element : build.Old()) {
    build.Copy(bytecode::CloneElement(code, element, map));
  }
  bytecode::CloneRanges(code, map);
  ASSAY_TRY(build.Finish());
  return bytecode::ComputeMaxStack(file.pool, code);
}

Status Spread(ClassFile& file, const Method&, Code& code) {
  uint32_t room = code.original_length > 30000 ? 0 : 60000 - code.original_length;
  size_t instructions = 0;
  for (const Element& element : code.elements) instructions += element.IsInstruction();
  size_t each = room / (instructions + 1);
  CodeBuilder build(file, code);
  for (const Element& element : build.Old()) {
    if (element.IsInstruction()) {
      for (size_t i = 0; i < each; ++i) build.Emit(Op::kNop);
    }
    build.Copy(element);
  }
  return build.Finish();
}

// The classes seen so far.
bytecode::SeenClasses& Seen() {
  static bytecode::SeenClasses seen;
  return seen;
}

Status Infer(ClassFile& file, const Method& method, Code& code) {
  if (!code.has_frames) return {};
  return bytecode::InferFrames(file, method, code, Seen());
}

struct Named {
  const char* name;
  Status (*run)(ClassFile&, const Method&, Code&);
};
constexpr Named kEdits[] = {{"reencode", Reencode}, {"entry", Entry},   {"wrap", Wrap},
                            {"clone", Clone},       {"spread", Spread}, {"infer", Infer}};

class Edit : public instrument::Pass {
 public:
  explicit Edit(const Named& edit) : edit_(edit) {}
  std::string_view name() const override { return edit_.name; }
  Result<bool> Apply(ClassFile& file, const Method& method, Code& code) override {
    ASSAY_TRY(edit_.run(file, method, code));
    return true;
  }

 private:
  const Named& edit_;
};

// Distinct numbers, as large as those of a big program.
class CountingIds : public instrument::ExactIds {
 public:
  uint32_t Method(std::string_view, std::string_view, std::string_view) override { return ++next_; }
  uint32_t Site(uint32_t, int32_t, const classfile::MemberRef&) override { return ++next_; }
  uint32_t NameAndType(std::string_view, std::string_view) override { return ++next_; }

 private:
  uint32_t next_ = 100000;
};

// A pass together with what it numbers things by.
template <typename PassType, typename Ids>
class WithIds : public instrument::Pass {
 public:
  std::string_view name() const override { return pass_.name(); }
  void BeginClass(const ClassFile& file) override { pass_.BeginClass(file); }
  Result<bool> Apply(ClassFile& file, const Method& method, Code& code) override {
    return pass_.Apply(file, method, code);
  }

 private:
  Ids ids_;
  PassType pass_{ids_};
};

class CountingPoints : public instrument::PointIds {
 public:
  uint32_t Id(const instrument::Instrumentation&, const std::vector<std::string>&) override {
    return ++next_;
  }

 private:
  uint32_t next_ = 100000;
};

// What the sampled collector does. Path profiling wants whole bodies copied, so that the other
// kinds go without it.
struct Kind {
  const char* name;
  instrument::Duplication duplication;
  uint32_t iterations;
  std::string_view plugins;  // empty: all of them
};
constexpr Kind kKinds[] = {
    {"duplicate", instrument::Duplication::kFull, 1, ""},
    {"partial", instrument::Duplication::kPartial, 3, "call-edge,exception-throw"},
    {"none", instrument::Duplication::kNone, 1,
     "call-edge,field-access,receiver-type,parameter-value,branch-edge,allocation-site,"
     "exception-throw"},
    {"auto", instrument::Duplication::kAutomatic, 1, "call-edge,field-access"},
};

class Duplicate : public instrument::Pass {
 public:
  explicit Duplicate(const Kind& kind) : kind_(kind), pass_(Options(), Plugins(), ids_) {}
  std::string_view name() const override { return kind_.name; }
  Result<bool> Apply(ClassFile& file, const Method& method, Code& code) override {
    return pass_.Apply(file, method, code);
  }

 private:
  instrument::DuplicateOptions Options() const {
    instrument::DuplicateOptions options;
    options.duplication = kind_.duplication;
    options.iterations = kind_.iterations;
    options.max_bytes = 65535;
    options.by_calls = kind_.duplication == instrument::Duplication::kAutomatic;
    return options;
  }
  std::vector<const instrument::Instrumentation*> Plugins() {
    std::vector<const instrument::Instrumentation*> plugins;
    for (std::string_view name : instrument::AllInstrumentations()) {
      if (!kind_.plugins.empty() && kind_.plugins.find(name) == std::string_view::npos) continue;
      owned_.push_back(instrument::MakeInstrumentation(name));
      plugins.push_back(owned_.back().get());
    }
    return plugins;
  }

  const Kind& kind_;
  CountingPoints ids_;
  std::vector<std::unique_ptr<instrument::Instrumentation>> owned_;
  instrument::DuplicatePass pass_;
};

class CountingMethods : public instrument::MethodNumbers {
 public:
  uint32_t Method(std::string_view, std::string_view, std::string_view) override { return ++next_; }

 private:
  uint32_t next_ = 100000;
};

// What the bytecodes collector does to classes of the application.
class Count : public instrument::Pass {
 public:
  std::string_view name() const override { return "count"; }
  void BeginClass(const ClassFile& file) override { pass_.BeginClass(file); }
  Result<bool> Apply(ClassFile& file, const Method& method, Code& code) override {
    return pass_.Apply(file, method, code);
  }

 private:
  CountingMethods numbers_;
  instrument::CountOptions options_;
  instrument::CountPass pass_{numbers_, options_, false};
};

// Two guards at every call that can have them.
class Devirtualize : public instrument::Pass {
 public:
  std::string_view name() const override { return "devirtualize"; }
  Result<bool> Apply(ClassFile& file, const Method& method, Code& code) override {
    std::vector<instrument::GuardedSite> sites;
    for (const Element& element : code.elements) {
      if (!element.Is(Op::kInvokevirtual) && !element.Is(Op::kInvokeinterface)) continue;
      classfile::MemberRef target = file.pool.Member(element.index);
      sites.push_back({std::string(file.NameOf(method)),
                       std::string(file.DescriptorOf(method)),
                       0,
                       static_cast<uint32_t>(element.bci),
                       std::string(target.name),
                       std::string(target.descriptor),
                       {{5, false}, {500, true}}});
    }
    return instrument::DevirtualizePass(sites).Apply(file, method, code);
  }
};

}  // namespace

Result<instrument::Rewritten> Transform(const std::string& name, instrument::Pass* pass,
                                        ByteSpan bytes) {
  if (pass) return instrument::RewriteClass(bytes, {&pass, 1});
  if (name != "prepend") return Error{"no transformation " + name};
  return instrument::AddEntryProbes(bytes, {kOwner, "onSpinWait", 0});
}

void See(const ClassFile& file) { Seen().Add(file); }

std::vector<std::string> TransformNames() {
  std::vector<std::string> names;
  for (const Named& edit : kEdits) names.push_back(edit.name);
  names.push_back("prepend");
  names.push_back("exact");
  names.push_back("count");
  for (const Kind& kind : kKinds) names.push_back(kind.name);
  names.push_back("devirtualize");
  return names;
}

std::unique_ptr<instrument::Pass> MakeTransform(const std::string& name) {
  for (const Named& edit : kEdits) {
    if (name == edit.name) return std::make_unique<Edit>(edit);
  }
  if (name == "exact") return std::make_unique<WithIds<instrument::ExactPass, CountingIds>>();
  if (name == "count") return std::make_unique<Count>();
  for (const Kind& kind : kKinds) {
    if (name == kind.name) return std::make_unique<Duplicate>(kind);
  }
  if (name == "devirtualize") return std::make_unique<Devirtualize>();
  return nullptr;
}

}  // namespace assay::corpus
