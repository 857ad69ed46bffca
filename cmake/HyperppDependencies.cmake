# Libraries from Debian; tools/setup.sh installs their -dev packages.
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET sentencepiece)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
find_path(HYPERPP_XXHASH_INCLUDE xxhash.h REQUIRED)  # checksums; used header only
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)

# {fmt}, header only, as bundled with torch.
add_library(hyperpp_fmt INTERFACE)
target_include_directories(hyperpp_fmt SYSTEM INTERFACE ${HYPERPP_TORCH_INCLUDE})
target_compile_definitions(hyperpp_fmt INTERFACE FMT_HEADER_ONLY=1)
