#include "src/base/replaced_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

namespace assay {

Result<std::string> ReplacedFile(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return path;
  if (!S_ISREG(info.st_mode)) return Error{"cannot write " + path + ": not a regular file"};
  char* real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return Error{"cannot resolve " + path + ": " + strerror(errno)};
  std::string target = real;
  free(real);
  return target;
}

}  // namespace assay
