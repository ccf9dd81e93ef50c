#include "src/bytecode/prepend.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "src/bytecode/code_builder.h"
#include "src/bytecode/decode.h"
#include "src/bytecode/encode.h"
#include "src/bytecode/print.h"
#include "src/bytecode/test_method.h"

namespace assay::bytecode {
namespace {

ByteVector Call(uint16_t method_ref) {
  return {0xb8, static_cast<uint8_t>(method_ref >> 8), static_cast<uint8_t>(method_ref)};
}

// The general way and this one must describe the same method: compared as text, where the switch
// padding is the only difference that is allowed.
TEST(Prepend, AgreesWithTheEncoder) {
  std::filesystem::path folder =
      std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/fuzz/corpus/class";
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".class") continue;
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path(), std::ios::binary);
    ByteVector bytes(std::istreambuf_iterator<char>(in), {});
    auto one = classfile::ParseClass(bytes), other = classfile::ParseClass(bytes);
    ASSERT_TRUE(one.ok() && other.ok());
    uint16_t probe = *one->pool.AddMethodRef("assay/Probe", "hit", "()V");
    ASSERT_EQ(*other->pool.AddMethodRef("assay/Probe", "hit", "()V"), probe);
    for (size_t i = 0; i < one->methods.size(); ++i) {
      if (!one->methods[i].HasCode()) continue;
      auto code = DecodeCode(*one, one->methods[i]);
      ASSERT_TRUE(code.ok());
      bool has_switch = !code->switches.empty();
      CodeBuilder build(*one, *code);
      build.InvokeStatic(probe);
      if (has_switch) build.Emit(Op::kNop);
      for (const Element& element : build.Old()) build.Copy(element);
      ASSERT_TRUE(build.Finish().ok());
      ASSERT_TRUE(EncodeCode(*code, *one, one->methods[i]).ok());
      ASSERT_TRUE(PrependCode(*other, other->methods[i], Call(probe), 0).ok());
      EXPECT_EQ(PrintMethod(*one, one->methods[i]), PrintMethod(*other, other->methods[i]));
      ++compared;
    }
  }
  EXPECT_GT(compared, 10);
}

TEST(Prepend, RefusesWhatDoesNotFit) {
  TestMethod test(49);
  test.SetCode(ByteVector(65533, 0));
  ByteVector before = test.method().new_code;
  EXPECT_FALSE(PrependCode(test.file, test.method(), ByteVector(3, 0), 0).ok());
  EXPECT_EQ(test.method().new_code, before);
  EXPECT_TRUE(PrependCode(test.file, test.method(), ByteVector(2, 0), 0).ok());
  test.SetCode({0xb1}, {0, 1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0});  // a range beyond the code
  EXPECT_FALSE(PrependCode(test.file, test.method(), ByteVector(3, 0), 0).ok());
  test.SetCode({0xaa, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_FALSE(PrependCode(test.file, test.method(), ByteVector(3, 0), 0).ok());
}

TEST(Prepend, GrowsTheStack) {
  TestMethod test;
  test.SetCode({0xb1});
  ASSERT_TRUE(PrependCode(test.file, test.method(), ByteVector(3, 0), 12).ok());
  EXPECT_EQ(test.method().new_code[1], 12);
  EXPECT_EQ(test.Instructions(), (ByteVector{0, 0, 0, 0xb1}));
}

}  // namespace
}  // namespace assay::bytecode
