// Writes the report: the built page (assets/report.html, from web/) with the profile's data in it,
// one file that needs nothing else and reaches out to nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/report/data.h"

namespace assay::report {

struct Options {
  std::vector<std::string> sources;  // folders with source code, may be empty
  Limits limits;
};

Result<std::string> MakeReport(const std::vector<Input>& inputs, const Options& options);

// The page as built from web/, with kDataMark where the data belong.
std::string_view PageTemplate();
// The page of `assay live`, complete.
std::string_view LivePage();
constexpr std::string_view kDataMark = "@ASSAY-DATA@";

// The page around `data`, which is deflated and written in base64 (no byte of it is markup).
Result<std::string> AssemblePage(std::string_view page, std::string_view data);

}  // namespace assay::report
