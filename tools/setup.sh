#!/usr/bin/env bash
# Installs what hyperpp is built with and is not there yet: Debian packages (apt) and libtorch (the
# torch wheel of PyPI, in .deps/venv). Runs as root, or with sudo; asks nothing; quick when all is there.
#
#   HYPERPP_TORCH_VERSION     version of the wheel (2.13.0)
#   HYPERPP_TORCH_INDEX_URL   package index to take it from, for example one with CPU builds
#   Torch_DIR                 an installed libtorch; then no wheel is fetched
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++ make cmake ninja-build pkg-config python3 python3-venv git ccache mold
          clang-16 libclang-rt-16-dev clang-format-16 clang-tidy-16
          libgloo-dev libyaml-cpp-dev nlohmann-json3-dev libcli11-dev libsentencepiece-dev
          libpcre2-dev libxxhash-dev libutf8proc-dev libgtest-dev libgmock-dev libbenchmark-dev bible-kjv)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done
if ((${#missing[@]})); then
  echo "setup: installing ${missing[*]}"
  as_root=()
  [[ $(id -u) == 0 ]] || as_root=(sudo)
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if [[ -z ${Torch_DIR:-} ]]; then
  version=${HYPERPP_TORCH_VERSION:-2.13.0}
  installed=$(ls -d .deps/venv/lib/python3*/site-packages/torch-"$version"*.dist-info 2>/dev/null || true)
  if [[ -z $installed ]]; then
    echo "setup: fetching libtorch $version (the torch wheel)"
    python3 -m venv .deps/venv
    index=()
    [[ -z ${HYPERPP_TORCH_INDEX_URL:-} ]] || index=(--index-url "$HYPERPP_TORCH_INDEX_URL")
    # Only the libraries and headers are used, so nothing that its Python part depends on.
    .deps/venv/bin/pip install -q --disable-pip-version-check --no-deps "${index[@]}" "torch==$version"
    if ls .deps/venv/lib/python3*/site-packages/torch/lib/libtorch_cuda.so >/dev/null 2>&1; then
      echo "setup: got a CUDA build; its CPU part is used unless the cuda preset is chosen"
    else
      echo "setup: got a CPU build"
    fi
  fi
fi
