#!/usr/bin/env bash
# On a machine with an NVIDIA GPU: builds hyperpp against the installed torch wheel, runs the tests labelled gpu, and
# trains a small model in bf16 on its GPUs. Made to take less than ten minutes on eight cores, most of them for the build.
#
#   tools/gpu_check.sh                  libtorch of the python3 on the path
#   Torch_DIR=... tools/gpu_check.sh    that libtorch (LIBTORCH/share/cmake/Torch)
#
# Headers of CUDA come from a toolkit (CUDA_HOME or /usr/local/cuda) of the wheel's version, or from the wheel and the pip
# package nvidia-cuda-crt beside it.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -z ${Torch_DIR:-} ]]; then
  find_torch='import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])'
  Torch_DIR=$(python3 -c "$find_torch")/share/cmake/Torch
fi
export Torch_DIR
tools/setup.sh

echo "gpu check: building against $Torch_DIR"
cmake --preset cuda -DTorch_DIR="$Torch_DIR"
cmake --build --preset cuda -j "$(nproc)" --target hyperpp gpu_tests
program=build/cuda/bin/hyperpp

echo "gpu check: what is here ($SECONDS s so far)"
"$program" doctor
gpus=$("$program" doctor --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["gpus"])')
if ((gpus == 0)); then
  echo "gpu check: libtorch sees no GPU; look at the driver (nvidia-smi) and CUDA_VISIBLE_DEVICES" >&2
  exit 1
fi

echo "gpu check: tests"
ctest --preset cuda

ranks=1
while ((2 * ranks <= gpus && ranks < 8)); do ranks=$((2 * ranks)); done
per_rank=$((8 / ranks < 4 ? 8 / ranks : 4))
echo "gpu check: a short training in bf16, ranks: $ranks ($SECONDS s so far)"
folder=build/cuda/gpu_check
rm -rf "$folder"
"$program" train configs/gpu_check.yaml --set accelerator.dp_replicate_size="$ranks" \
  --set training.micro_batch_size="$per_rank" --set output.directory="$folder"
check='import json, sys
records = [json.loads(line) for line in open(sys.argv[1])]
assert len(records) == 20 and all(record["loss"] for record in records), "a step is missing or its loss is not finite"
print(json.dumps(records[-1]))'
python3 -c "$check" "$folder/metrics.jsonl"
echo "gpu check: passed in $SECONDS s"
