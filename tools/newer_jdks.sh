#!/usr/bin/env bash
# Fetches JDKs that this Debian release does not have from the newest one, with the libraries they need, into build/jdks:
# nothing is installed. Usage: tools/newer_jdks.sh [21 26 27 ...]; then ASSAY_TEST_JDKS=21,27 make test
set -euo pipefail
cd "$(dirname "$0")/.."
versions=("${@:-21}")
[ $# -gt 0 ] || versions=(21 26 27)
into=$PWD/build/jdks
library=$into/lib/usr/lib/x86_64-linux-gnu
mkdir -p "$into"/{apt/lists/partial,apt/cache/archives/partial,packages}
tools/setup.sh jdks
site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)
echo "deb $site sid main" > "$into/apt/sources.list"
newest=(-q -o "Dir::Etc::sourcelist=$into/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$into/apt/lists"
  -o "Dir::Cache=$into/apt/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root)

fetch() {  # PACKAGE...: unpacked into $1
  local where=$1
  shift
  mkdir -p "$where"
  rm -rf "$into/packages" && mkdir "$into/packages"
  (cd "$into/packages" && apt-get "${newest[@]}" download "$@" >/dev/null)
  for package in "$into"/packages/*.deb; do dpkg-deb -x "$package" "$where"; done
}

# The launcher is the only one that says where libraries are; what the rest of the JDK asks for by name is loaded then.
relink() {  # FILE
  patchelf --set-interpreter "$library/ld-linux-x86-64.so.2" "$1"
  for name in libstdc++.so.6 libm.so.6 libgcc_s.so.1; do patchelf --add-needed "$name" "$1"; done
  patchelf --force-rpath --set-rpath "\$ORIGIN/../lib:$library" "$1"
}

apt-get "${newest[@]}" update >/dev/null
[ -e "$library/ld-linux-x86-64.so.2" ] || fetch "$into/lib" libc6 libstdc++6 libgcc-s1 zlib1g
for version in "${versions[@]}"; do
  home=$into/java-$version
  if [ ! -e "$home/release" ]; then
    echo "fetching JDK $version" >&2
    fetch "$into/unpacked" "openjdk-$version-jre-headless" "openjdk-$version-jdk-headless"
    rm -rf "$home" && mv "$into/unpacked/usr/lib/jvm/java-$version-openjdk-amd64" "$home"
    # The JDK's settings are links to /etc.
    cp -r --remove-destination "$into/unpacked/etc/java-$version-openjdk" "$home/etc"
    find "$home" -type l -lname "/etc/java-$version-openjdk/*" | while read -r link; do
      target=$(readlink "$link")
      ln -sfn "$home/etc/${target#/etc/java-"$version"-openjdk/}" "$link"
    done
    rm -rf "$into/unpacked"
    find "$home/bin" "$home/lib/jexec" "$home/lib/jspawnhelper" -type f | while read -r file; do relink "$file"; done
  fi
  "$home/bin/java" -version 2>&1 | tail -n 1
done
rm -rf "$into/packages"
