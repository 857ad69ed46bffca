# What a newcomer types. Everything below only calls tools/setup.sh and the CMake presets.
.PHONY: run test build setup lint format bench clean
BUILD_JOBS ?= $(shell nproc)

run: build            ## train a small Qwen3 on English text, then sample from it
	tools/first_run.sh build/release/bin/hyperpp

test: setup           ## build and run every test that needs no GPU
	cmake --preset dev
	cmake --build --preset dev -j $(BUILD_JOBS)
	ctest --preset dev

build: setup          ## build/release/bin/hyperpp
	cmake --preset release
	cmake --build --preset release -j $(BUILD_JOBS)

bench: setup          ## benchmarks in build/bench/bin
	cmake --preset bench
	cmake --build --preset bench -j $(BUILD_JOBS)

lint: setup           ## clang-tidy and the lint tests
	cmake --preset lint
	cmake --build --preset lint -j $(BUILD_JOBS)
	ctest --preset lint

format: setup         ## rewrite all sources with clang-format
	git ls-files '*.h' '*.cc' '*.cu' | xargs clang-format-16 -i

setup:
	@tools/setup.sh

clean:
	rm -rf build
