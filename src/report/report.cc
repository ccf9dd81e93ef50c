#include "src/report/report.h"

#include <zlib.h>

extern "C" const char assay_report_page[];
extern "C" const char assay_report_page_end[];
extern "C" const char assay_live_page[];
extern "C" const char assay_live_page_end[];

namespace assay::report {
namespace {

Result<std::string> Deflate(std::string_view text) {
  constexpr int kLevel = 4;  // level 6 takes four times as long for 6 % less
  uLongf size = compressBound(text.size());
  std::string packed(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(text.data()), text.size(), kLevel);
  if (status != Z_OK) return Error{"zlib cannot compress the report: " + std::to_string(status)};
  packed.resize(size);
  return packed;
}

void AppendBase64(std::string_view bytes, std::string* out) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  auto at = [&](size_t i) {
    return i < bytes.size() ? static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) : 0u;
  };
  out->reserve(out->size() + (bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const uint32_t group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    out->push_back(kDigits[group >> 18]);
    out->push_back(kDigits[group >> 12 & 63]);
    out->push_back(i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=');
    out->push_back(i + 2 < bytes.size() ? kDigits[group & 63] : '=');
  }
}

}  // namespace

std::string_view PageTemplate() {
  return {assay_report_page, static_cast<size_t>(assay_report_page_end - assay_report_page)};
}

std::string_view LivePage() {
  return {assay_live_page, static_cast<size_t>(assay_live_page_end - assay_live_page)};
}

Result<std::string> AssemblePage(std::string_view page, std::string_view data) {
  const size_t mark = page.find(kDataMark);
  if (mark == std::string_view::npos) return Error{"the report page has no place for the data"};
  ASSAY_ASSIGN(const std::string packed, Deflate(data));
  std::string html;
  html.reserve(page.size() + packed.size() / 3 * 4 + 8);
  html.append(page.substr(0, mark));
  AppendBase64(packed, &html);
  html.append(page.substr(mark + kDataMark.size()));
  return html;
}

Result<std::string> MakeReport(const std::vector<Input>& inputs, const Options& options) {
  if (inputs.empty() || inputs.size() > 2) {
    return Error{"a report shows one profile or compares two; `assay merge` makes one of many"};
  }
  return AssemblePage(PageTemplate(), MakeData(inputs, options.sources, options.limits));
}

}  // namespace assay::report
