// What `assay show` prints, one function per kind of table, each as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "src/base/json.h"
#include "src/profile/profile.h"

namespace assay::cli {

// What `--by` accepts: the fixed views below, or the name of a table in the profile.
enum class View { kEdges, kMethods, kContexts, kSites, kTable, kMetadata, kLost, kSkipped };
struct ViewSpec {
  View view;
  std::string name;  // as the user wrote it: the JSON key
};

// Throws CommandError for a name that is neither a view nor a table of the profile.
ViewSpec ParseView(const profile::Profile& profile, const std::string& name);
// Edges, or methods where the profile is about work.
ViewSpec DefaultView(const profile::Profile& profile);

// `top` = 0 shows all.
std::string ShowText(const profile::Profile& profile, const ViewSpec& view, size_t top, int width);
void ShowJson(const profile::Profile& profile, const ViewSpec& view, size_t top, JsonWriter& json);

// The lines above the tables: what was run, how much was seen, what was not.
std::string Summary(const profile::Profile& profile, const std::string& path);

void MetadataJson(const profile::Profile& profile, JsonWriter& json);
void LostJson(const profile::Profile& profile, JsonWriter& json);

}  // namespace assay::cli
