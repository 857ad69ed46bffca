#!/usr/bin/env bash
# .clang-tidy accepts the names of the style guide and refuses each kind of wrong one.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# Below the sources, so that clang-tidy finds the project's rules.
mkdir -p "$root/build"
folder=$(mktemp -d -p "$root/build")
trap 'rm -rf "$folder"' EXIT

complaints() {
  clang-tidy-16 -quiet "$1" -- -std=c++20 2>/dev/null | grep 'error:' || true
}

cat >"$folder/good.cc" <<'END'
class GoodType {
 public:
  int Value() const { return value_; }
  int rank() const { return 0; }
  void forward() {}

 private:
  int value_ = 0;
};
constexpr int kLimit = 3;
int Add(int first) {
  const int q_BNSH = first;
  return q_BNSH + kLimit;
}
END
found=$(complaints "$folder/good.cc")
[[ -z $found ]] || { echo "good names are refused: $found"; exit 1; }

cat >"$folder/bad.cc" <<'END'
class bad_type {
 public:
  int camelCase() const { return value; }

 private:
  int value = 0;
};
constexpr int limit = 3;
int lowerFunction(int Param) {
  int BadLocal = 1;
  const double half = 1 / limit;
  return Param + BadLocal + static_cast<int>(half);
}
END
found=$(complaints "$folder/bad.cc")
for word in bad_type camelCase "'value'" limit lowerFunction Param BadLocal bugprone-integer-division; do
  [[ $found == *$word* ]] || { echo "$word is accepted: $found"; exit 1; }
done
