#!/usr/bin/env bash
# Fails if clang-format would change a source: prints `file:line:column` of each place. `make format` rewrites.
#
#   tools/check_format.sh [FILE ...]      default: every source of the repository
set -euo pipefail
cd "$(dirname "$0")/.."

if (($#)); then
  files=("$@")
else
  mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.h' '*.cc' '*.cu')
fi
existing=()
for file in "${files[@]}"; do
  [[ ! -f $file ]] || existing+=("$file")
done
clang-format-16 --dry-run -Werror "${existing[@]}"
