#!/usr/bin/env bash
# tools/check_format.sh accepts a formatted source and names a place in one that is not.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# Below the sources, so that clang-format finds the project's rules.
mkdir -p "$root/build"
folder=$(mktemp -d -p "$root/build")
trap 'rm -rf "$folder"' EXIT

printf 'int Good() { return 1; }\n' >"$folder/good.cc"
"$root/tools/check_format.sh" "$folder/good.cc"

printf 'int  Bad( ) {return 1;}\n' >"$folder/bad.cc"
if complaint=$("$root/tools/check_format.sh" "$folder/bad.cc" 2>&1); then
  echo "a badly formatted source was accepted"
  exit 1
fi
[[ $complaint == *bad.cc:1:* ]] || { echo "the place is not named: $complaint"; exit 1; }
