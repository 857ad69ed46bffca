#!/usr/bin/env bash
# On a machine with an NVIDIA GPU: builds hyperpp against the installed torch wheel, runs the tests labelled gpu, and
# trains a small model in bf16. Takes less than ten minutes.
#
#   tools/gpu_check.sh                  libtorch of the python3 on the path
#   Torch_DIR=... tools/gpu_check.sh    that libtorch (LIBTORCH/share/cmake/Torch)
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -z ${Torch_DIR:-} ]]; then
  Torch_DIR=$(python3 -c 'import pathlib, torch; print(pathlib.Path(torch.__file__).parent / "share/cmake/Torch")')
fi
export Torch_DIR
tools/setup.sh

echo "gpu check: building against $Torch_DIR"
cmake --preset cuda -DTorch_DIR="$Torch_DIR"
cmake --build --preset cuda -j "$(nproc)"

echo "gpu check: tests"
ctest --preset cuda

echo "gpu check: a short training in bf16"
rm -rf build/cuda/gpu_check
build/cuda/bin/hyperpp train configs/gpu_check.yaml
tail -n 1 build/cuda/gpu_check/metrics.jsonl
echo "gpu check: done after $SECONDS s"
