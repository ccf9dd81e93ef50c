// The class that checks and operations call (java/sampled), defined by the agent.
#pragma once

#include <string_view>

namespace assay::instrument {

inline constexpr std::string_view kSampledRuntime = "java/lang/AssaySampled";

// AssaySampled.LANES.
inline constexpr uint32_t kSampledLanes = 8;

// What AssaySampled.note counts, when checks are verified by counting.
enum class Note { kEntry, kBackEdge, kCheck };

}  // namespace assay::instrument
