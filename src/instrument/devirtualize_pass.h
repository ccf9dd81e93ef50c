// Guarded devirtualization by cloning call sites: the receiver's class is compared with one or two
// expected classes, and each expected class gets a copy of the call, with the same symbolic
// reference, so that a compiler sees one receiver class there. The expected classes are elements of
// the arrays in java.lang.AssayGuards; where an element is empty its guard fails and the call stays
// as it was.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/instrument/guarded_site.h"
#include "src/instrument/pass.h"

namespace assay::instrument {

class DevirtualizePass : public Pass {
 public:
  // `sites` of one class; must outlive the pass.
  explicit DevirtualizePass(std::span<const GuardedSite> sites);

  std::string_view name() const override { return "devirtualize"; }
  Result<bool> Apply(classfile::ClassFile& file, const classfile::Method& method,
                     bytecode::Code& code) override;

  // By number of site: why it was left alone, "" when it was rewritten.
  const std::vector<std::string>& outcomes() const { return outcomes_; }

 private:
  std::span<const GuardedSite> sites_;
  std::vector<std::string> outcomes_;
};

}  // namespace assay::instrument
