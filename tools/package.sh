#!/usr/bin/env bash
# Makes Debian packages in build/package: sets up, builds what is installed without tests, and packs it. Starts from a
# bare Debian 12; may be called from anywhere. Arguments go to cmake, as -DBONDGRAPH_MAINTAINER='NAME <ADDRESS>'.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/package

"$root/tools/setup.sh" dpkg-dev file
cd "$root"
cmake --preset release -B "$build" -DCMAKE_INSTALL_PREFIX=/usr -DBONDGRAPH_TESTS=OFF --log-level=WARNING "$@"
cmake --build "$build" --parallel "$(nproc)"
rm -f "$build"/*.deb
cpack --config "$build/CPackConfig.cmake" -B "$build"

for package in "$build"/*.deb; do
    dpkg-deb --field "$package" Package Version Installed-Size Depends Recommends
    echo "package: $package"
done
