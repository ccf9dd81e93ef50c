#!/usr/bin/env bash
# Installs the distribution packages that are missing. Usage: tools/setup.sh build|test|bench|corpus|fuzz|jdks...
# Asks for root only when something has to be installed.
set -euo pipefail
build="g++ cmake ninja-build make git openjdk-17-jdk-headless libgtest-dev libgmock-dev zlib1g-dev
  libcli11-dev nlohmann-json3-dev libfmt-dev libzip-dev"
test="python3 binutils chromium chromium-driver protobuf-compiler llvm-14 valgrind libeclipse-jdt-core-java libh2-java
  libxalan2-java librhino-java liblucene8-java"
bench="libbenchmark-dev libeclipse-jdt-core-java libh2-java libhsqldb-java libderby-java
  libxalan2-java libxerces2-java libsaxonhe-java librhino-java liblucene8-java antlr4 jython clojure
  libjackson2-databind-java libcommons-math3-java libcommons-compress-java libfreemarker-java"
# Jars for `make corpus`; their number is what matters, and that they come from many compilers.
corpus="kotlin scala groovy jruby libfop-java josm freeplane weka libeclipselink-java libaspectj-java
  libopenjfx-java libjetty9-java libtomcat9-java libnetty-java libguava-java libgradle-core-java bnd
  libactivemq-java libicu4j-java libbcprov-java libcdk-java libhibernate3-java libmaven3-core-java
  libsaxonb-java libspring-core-java libspring-web-java ant libpdfbox2-java libbatik-java libjgit-java
  libproguard-java liblucene4.10-java libasm-java"
fuzz="clang-16 libclang-rt-16-dev"
jdks="patchelf"
missing=()
for group in "$@"; do
  for package in ${!group}; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
done
[ ${#missing[@]} -eq 0 ] && exit 0
echo "installing: ${missing[*]}" >&2
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "need root to install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
log=$(mktemp)
if ! { "${as_root[@]}" apt-get update && DEBIAN_FRONTEND=noninteractive "${as_root[@]}" \
      apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "could not install: ${missing[*]} (log: $log)" >&2
  exit 1
fi
rm -f "$log"
