#!/usr/bin/env bash
# Installs the build tree into an empty folder, then configures, builds and runs the program beside this file against
# that folder alone.
#
#   consumer_test.sh CMAKE BUILD_TREE COMPILER
set -euo pipefail
cmake=$1 build_tree=$2 compiler=$3
source_dir=$(cd "$(dirname "$0")" && pwd)/consumer
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$cmake" --install "$build_tree" --prefix "$folder/prefix" >"$folder/install.log"
"$cmake" -G Ninja -S "$source_dir" -B "$folder/build" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_PREFIX_PATH="$folder/prefix"
"$cmake" --build "$folder/build"
"$folder/build/consumer"
