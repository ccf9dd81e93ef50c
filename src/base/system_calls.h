// What a sandbox may punish. Any context.
#pragma once

#include <sys/prctl.h>

namespace assay {

// A filter (seccomp) may end the process for a call that it does not expect; services are often kept from the scheduler's (systemd:
// SystemCallFilter=~@resources). Whoever could do without such a call does without it there.
inline bool HasSystemCallFilter() { return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0; }

}  // namespace assay
