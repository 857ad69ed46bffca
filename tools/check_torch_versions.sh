#!/usr/bin/env bash
# Builds hyperpp against several releases of libtorch and trains a small model with each, on two ranks in four layouts. The
# losses must be those of the first release given; elementwise kernels may round differently, hence a tolerance of 1e-5.
#
#   tools/check_torch_versions.sh VERSION ...     for example 2.13.0 2.11.0 2.12.1 2.14.1
#
#   HYPERPP_TORCH_INDEX_URL   package index of the wheels, as for tools/setup.sh
#   HYPERPP_CHECK_JOBS        processes of the build (1)
#
# The wheel of a version goes to .deps/torch-VERSION (or a link to the folder that an installed `torch` is in), the
# build to build/torch-VERSION. clang without optimisation, warnings are errors; no tests.
set -euo pipefail
cd "$(dirname "$0")/.."
(($# > 0)) || { sed -n '2,5p' "$0" >&2; exit 2; }
Torch_DIR=none tools/setup.sh  # Debian's packages only

model='{init: random, config: {model_type: qwen3, vocab_size: 64, hidden_size: 32, intermediate_size: 48,
  num_hidden_layers: 4, num_attention_heads: 4, num_key_value_heads: 2, head_dim: 8, tie_word_embeddings: true}}'
layouts=(pp dp_shard cp tp)

for version in "$@"; do
  wheel=.deps/torch-$version build=build/torch-$version
  if [[ ! -d $wheel/torch ]]; then
    echo "check torch versions: fetching libtorch $version"
    [[ -d .deps/venv ]] || python3 -m venv .deps/venv
    index=()
    [[ -z ${HYPERPP_TORCH_INDEX_URL:-} ]] || index=(--index-url "$HYPERPP_TORCH_INDEX_URL")
    .deps/venv/bin/pip install -q --disable-pip-version-check --no-deps --target "$wheel" "${index[@]}" "torch==$version"
  fi
  echo "check torch versions: building against $version"
  cmake -G Ninja -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DHYPERPP_BUILD_TESTS=OFF \
    -DHYPERPP_PREFER_CLANG=ON -DHYPERPP_WERROR=ON -DTorch_DIR="$PWD/$wheel/torch/share/cmake/Torch" >/dev/null
  cmake --build "$build" -j "${HYPERPP_CHECK_JOBS:-1}" --target hyperpp
  for layout in "${layouts[@]}"; do
    rm -rf "$build/run_$layout"
    cat >"$build/$layout.yaml" <<END
model: $model
training: {steps: 5, global_batch_size: 4, micro_batch_size: 2, sequence_length: 32, seed: 1, deterministic: true}
precision: {compute_dtype: float32}
optimizer: {type: adamw, lr: 3.0e-3}
accelerator: {device: cpu, ${layout}_size: 2, threads_per_rank: 1}
pipeline: {enabled: $([[ $layout == pp ]] && echo true || echo false), schedule: 1f1b}
context_parallel: {method: all_to_all}
data: {type: synthetic}
output: {directory: $build/run_$layout}
END
    "$build/bin/hyperpp" train "$build/$layout.yaml" >"$build/$layout.log" 2>&1 || { cat "$build/$layout.log"; exit 1; }
  done
done

compare='import json, sys
layouts, versions, reference, far = sys.argv[1].split(), sys.argv[2:], {}, False
for version in versions:
    for layout in layouts:
        lines = open(f"build/torch-{version}/run_{layout}/metrics.jsonl").read().splitlines()
        losses = [json.loads(line)["loss"] for line in lines]
        expected = reference.setdefault(layout, losses)
        distance = max(abs(a - b) for a, b in zip(losses, expected, strict=True))
        far |= not distance <= 1e-5
        print(f"{version:8} {layout:9}", *(f"{loss:.7f}" for loss in losses), f" {distance:.1e} from {versions[0]}")
sys.exit(far)'
python3 -c "$compare" "${layouts[*]}" "$@"
echo "check torch versions: $# built and trained alike"
