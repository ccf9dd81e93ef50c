#include "src/plan/plan.h"

#include <gtest/gtest.h>

namespace assay::plan {
namespace {

constexpr char kText[] =
    "assay-plan 1\n"
    "policy assay\n"
    "flag -XX:MaxInlineSize=24\n"
    "devirtualize a.B.m(I[La/C;)V@17 code=35 call=step(I)I guard=a.X,a.Y$Z size=9 weight=12.3% "
    "error=1.5% # 60 % a.X\n"
    "inline a.B.m(I[La/C;)V@21 code=35 callee=a.C.<init>()V size=80 weight=2% error=3% # why\n"
    "no-inline a.B.n()V@25 callee=a.C.g()V weight=0.001% error=0%\n"
    "skip a.B.n()V@3 callee=a.C.h()V size=900 weight=1% error=2% # too large\n";

TEST(Plan, ReadsWhatItWrites) {
  auto plan = ParsePlan(kText);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan->decisions.size(), 4u);
  const Decision& first = plan->decisions[0];
  EXPECT_EQ(first.action, Action::kDevirtualize);
  EXPECT_EQ(first.caller, (MethodName{"a.B", "m", "(I[La/C;)V"}));
  EXPECT_EQ(first.bci, 17);
  EXPECT_EQ(first.caller_bytes, 35u);
  EXPECT_EQ(first.callee.name, "step");
  EXPECT_EQ(first.guards, (std::vector<std::string>{"a.X", "a.Y$Z"}));
  EXPECT_DOUBLE_EQ(first.weight, 0.123);
  EXPECT_EQ(first.reason, "60 % a.X");
  EXPECT_EQ(plan->flags, std::vector<std::string>{"-XX:MaxInlineSize=24"});
  EXPECT_EQ(plan->CountOf(Action::kInline), 1u);
  EXPECT_EQ(PlanText(*plan), kText);
}

TEST(Plan, EditsByHandAreFine) {
  auto plan = ParsePlan(
      "assay-plan 1\r\n\n# a note\npolicy hand\r\n  devirtualize a.B.m()V@0 guard=a.X call=f()V\n");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->policy, "hand");
  EXPECT_EQ(plan->decisions[0].guards[0], "a.X");
}

TEST(Plan, SaysWhichLineIsWrong) {
  const std::pair<const char*, const char*> kBad[] = {
      {"devirtualize a.B.m()V@0 call=f()V", "guard= is missing"},
      {"devirtualize a.B.m()V@0 guard=a.X", "call= is missing"},
      {"devirtualize a.B.m()V@0 call=f()V guard=a.X,a.Y,a.Z", "more than two guards"},
      {"devirtualize a.B.m()V@0 call=f()V guard=a.X,a.X", "twice"},
      {"devirtualize a.B.m()V@0 call=f()V guard=a/X", "not a class name"},
      {"devirtualize a.B.m()V@70000 call=f()V guard=a.X", "bci '70000'"},
      {"devirtualize a.B.m@0 call=f()V guard=a.X", "not a method"},
      {"devirtualize a.B.m(Q)V@0 call=f()V guard=a.X", "not a method"},
      {"devirtualize a.B.m()V@0 call=f()V guard=a.X callee=a.C.f()V", "means nothing"},
      {"inline a.B.m()V@0 callee=a.C.f()V weight=12", "percentage"},
      {"inline a.B.m()V@0 callee=a.C.f()V weight=nan%", "percentage"},
      {"inline a.B.m()V callee=a.C.f()V", "not a call site"},
      {"inline a.B.m()V@1 callee=a.C.f()V\ninline a.B.m()V@1 callee=a.C.f()V", "twice"},
      {"flag -jar", "not a JVM flag"},
      {"delete everything", "'delete' is not known"},
  };
  for (const auto& [line, message] : kBad) {
    auto plan = ParsePlan("assay-plan 1\npolicy x\n" + std::string(line) + "\n");
    ASSERT_FALSE(plan.ok()) << line;
    EXPECT_NE(plan.error().message.find(message), std::string::npos) << plan.error().message;
    EXPECT_TRUE(plan.error().message.starts_with("line ")) << plan.error().message;
  }
  EXPECT_FALSE(ParsePlan("").ok());
  EXPECT_FALSE(ParsePlan("assay-plan 2\npolicy x\n").ok());
}

TEST(Plan, RefusesNamesThatCannotBeWritten) {
  EXPECT_TRUE(CanBeWritten({"a.B", "<init>", "(I)V"}));
  EXPECT_FALSE(CanBeWritten({"a B", "m", "()V"}));
  EXPECT_FALSE(CanBeWritten({"a.B", "m#", "()V"}));
  EXPECT_FALSE(CanBeWritten({"", "<native>", ""}));
  EXPECT_FALSE(CanBeWritten({"a.B", "m", "(La,b;)V"}));
}

}  // namespace
}  // namespace assay::plan
