#include "src/cli/commands.h"

int main(int argc, char** argv) { return assay::cli::Main(argc, argv); }
