#include "src/agent/log.h"

#include <unistd.h>

namespace assay::agent {

void Log(const std::string& message) {
  std::string line = "assay: " + message + "\n";
  ssize_t ignored = write(STDERR_FILENO, line.data(), line.size());
  static_cast<void>(ignored);
}

}  // namespace assay::agent
