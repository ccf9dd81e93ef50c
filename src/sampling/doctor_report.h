// What `assay doctor` says about one mechanism on this JVM and machine.
#pragma once

#include <string>
#include <vector>

namespace assay::sampling {

struct Mechanism {
  std::string name;  // entry, return, walker, ticker-remote, ticker-cpu, counter
  bool works = false;
  std::string why;   // what was derived, or why it is refused
};

using DoctorReport = std::vector<Mechanism>;

}  // namespace assay::sampling
