// Turns one or two profiles into the JSON that the report page reads.
//
// The format is private to one build of Assay (page and data travel in one file), column-wise so
// that it parses fast and compresses well:
//   strings    every text of the profile, once; all other names are indices into it
//   methods    class, name, descriptor, source file, bytecode length; index 0 is "no method"
//   edges      caller, bci, line, callee; then samples, weight, error as one column per profile.
//              Hottest first. The error is the half-width of the 95 % interval over the weight.
//   nodes      contexts in depth-first order: depth, bci, line, method; then per profile self,
//              calls, samples, and, when nodes were cut, the totals of self and calls
//   profiles   per profile: name, metadata, lost, skipped methods, tables, per-thread series
//   sources    path and lines of the files that were found
#pragma once

#include <string>
#include <vector>

#include "src/profile/profile.h"

namespace assay::report {

struct Input {
  std::string name;  // as the user gave it, usually a file name
  const profile::Profile* profile;
};

struct Limits {
  size_t edges = 120'000;  // the page opens at once up to here
  size_t nodes = 120'000;
  size_t points = 24'000;  // of the per-thread series, summed over the threads
  size_t rows = 20'000;    // per table
  size_t sites = 4'000;    // call sites whose source lines are taken along
  size_t source_bytes = 4'000'000;
};

// `inputs` holds one profile, or two to compare.
std::string MakeData(const std::vector<Input>& inputs, const std::vector<std::string>& sources,
                     const Limits& limits);

}  // namespace assay::report
