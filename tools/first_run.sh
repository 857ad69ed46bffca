#!/usr/bin/env bash
# Trains the small model of configs/first_run.yaml on the King James Bible, with two pipeline ranks on the local CPU, then lets it
# write. The text comes from Debian's bible-kjv, which tools/setup.sh installs.
#
#   tools/first_run.sh [HYPERPP]      default: build/release/bin/hyperpp
set -euo pipefail
cd "$(dirname "$0")/.."
hyperpp=${1:-build/release/bin/hyperpp}
folder=build/first_run
mkdir -p "$folder"

# -f prints one verse a line after its reference, as in "Ge1:1 In the beginning ..."; the reference goes.
print_verses() {
  bible -f "$1" | sed 's/^[^ ]* //'
}

if [[ ! -s $folder/train.txt || ! -s $folder/held_out.txt ]]; then
  print_verses gen1:1-jude1:25 >"$folder/train.txt"
  print_verses rev1:1-rev22:21 >"$folder/held_out.txt"
fi
echo "first run: $(wc -c <"$folder/train.txt") bytes of English text in $folder/train.txt"

rm -rf "$folder/run"
"$hyperpp" train configs/first_run.yaml

echo
echo "first run: the model, asked to go on from \"In the beginning\":"
echo
"$hyperpp" generate --model "$folder/run/hf" --prompt "In the beginning" --max-new-tokens 300 --temperature 0.7
