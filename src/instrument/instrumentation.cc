#include "src/instrument/instrumentation.h"

#include <algorithm>

#include "src/classfile/descriptor.h"
#include "src/instrument/sampled_runtime.h"

namespace assay::instrument {

using bytecode::Op;

std::string Body::MethodName() const {
  std::string name(file.Name());
  std::replace(name.begin(), name.end(), '/', '.');
  return name + "." + std::string(file.NameOf(method)) + std::string(file.DescriptorOf(method));
}

uint32_t Body::BlockOf(uint32_t element) const {
  const auto& blocks = flow.blocks();
  auto it = std::upper_bound(blocks.begin(), blocks.end(), element,
                             [](uint32_t e, const bytecode::Block& b) { return e < b.begin; });
  return static_cast<uint32_t>(it - blocks.begin()) - (it == blocks.begin() ? 0 : 1);
}

void Emitter::Count(uint32_t id) {
  build_.PushInt(static_cast<int32_t>(id));
  build_.InvokeStatic(kSampledRuntime, "count", "(I)V");
}

void Emitter::CountClass(uint32_t id) {
  build_.PushInt(static_cast<int32_t>(id));
  build_.InvokeStatic(kSampledRuntime, "countClass", "(Ljava/lang/Object;I)V");
}

void Emitter::CountValue(uint32_t id, std::string_view descriptor) {
  switch (descriptor.empty() ? 'V' : descriptor[0]) {
    case 'L':
    case '[':
      return CountClass(id);
    case 'J':
      build_.PushInt(static_cast<int32_t>(id));
      return build_.InvokeStatic(kSampledRuntime, "countLong", "(JI)V");
    case 'F':
      build_.PushInt(static_cast<int32_t>(id));
      return build_.InvokeStatic(kSampledRuntime, "countFloat", "(FI)V");
    case 'D':
      build_.PushInt(static_cast<int32_t>(id));
      return build_.InvokeStatic(kSampledRuntime, "countDouble", "(DI)V");
    default:
      build_.PushInt(static_cast<int32_t>(id));
      return build_.InvokeStatic(kSampledRuntime, "countInt", "(II)V");
  }
}

uint16_t Emitter::Temporary(int word) {
  while (temporary_words_ <= word) {
    uint16_t slot = build_.code().AddLocal({bytecode::VerificationType::kInteger}, false);
    if (temporary_words_++ == 0) temporaries_ = slot;
  }
  return static_cast<uint16_t>(temporaries_ + word);
}

void Emitter::CopyReceiver(std::string_view method_descriptor) {
  struct Argument {
    int letter;  // from int: 0 int, 1 long, 2 float, 3 double, 4 reference
    int word;
  };
  std::vector<Argument> arguments;
  int words = 0;
  classfile::DescriptorReader types(method_descriptor);
  for (std::string_view type; types.NextParameter(&type);) {
    constexpr std::string_view kLetters = "IJFDA";
    char letter = type[0] == 'L' || type[0] == '[' ? 'A' : type[0];
    size_t kind = kLetters.find(letter);
    arguments.push_back({kind == std::string_view::npos ? 0 : static_cast<int>(kind), words});
    words += classfile::TypeWords(type);
  }
  if (words == 0) return build_.Emit(Op::kDup);
  if (words == 1) {
    build_.Emit(Op::kDup2);
    return build_.Emit(Op::kPop);
  }
  if (words == 2) {
    build_.Emit(Op::kDup2X1);
    build_.Emit(Op::kPop2);
    return build_.Emit(Op::kDupX2);
  }
  Temporary(words);  // all of them, and one for the receiver, next to each other
  auto at = [](Op first, int letter) { return static_cast<Op>(static_cast<int>(first) + letter); };
  for (auto it = arguments.rbegin(); it != arguments.rend(); ++it) {
    build_.Store(at(Op::kIstore, it->letter), Temporary(it->word));
  }
  build_.Emit(Op::kDup);
  build_.Store(Op::kAstore, Temporary(words));
  for (const Argument& argument : arguments) {
    build_.Load(at(Op::kIload, argument.letter), Temporary(argument.word));
  }
  build_.Load(Op::kAload, Temporary(words));
}

}  // namespace assay::instrument
