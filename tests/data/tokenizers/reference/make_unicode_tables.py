#!/usr/bin/env python3
"""Writes hyperpp/data/tokenizers/unicode_version_tables.h to standard output.

Needs: tokenizers 0.23.3 (Oniguruma with Unicode 16), a Python whose unicodedata is Unicode 14 (3.11), and
libutf8proc 2.8 (Unicode 15). Takes some minutes: it asks the package about every code point.
"""
import ctypes
import ctypes.util
import sys
import unicodedata

from tokenizers import Regex, normalizers, pre_tokenizers

assert unicodedata.unidata_version == "14.0.0", unicodedata.unidata_version
CODE_POINTS = [c for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]

# Characters of Unicode 14 that stand in; the others agree with one of them in general category, Alphabetic,
# script Han, and length in UTF-8.
STAND_INS = [0x1E00, 0x1E01, 0xA000, 0xA015, 0x0981, 0x1AB0, 0x0982, 0x2E43, 0x2400,
             0x10400, 0x10428, 0x10280, 0x20000, 0x16B40, 0x11001, 0x10A38, 0x11000, 0x1D165, 0x10D30, 0x10140,
             0x10107, 0x1144B, 0x10EAD, 0x1F300, 0x1D6C1, 0x13430]
PROPERTIES = "Lu Ll Lo Lm Mn Mc Nd Nl No Pd Po Sm So Cf Alphabetic Han".split()


def matching(pattern, code_points):
    """The code points that the package's regular expressions match."""
    split = pre_tokenizers.Split(Regex(pattern), "removed")
    return {c for c in code_points if not split.pre_tokenize_str(chr(c))}


def ranges(mapping):
    """Sorted [first, last, value] of runs with one value."""
    out = []
    for c in sorted(mapping):
        if out and out[-1][1] == c - 1 and out[-1][2] == mapping[c]:
            out[-1][1] = c
        else:
            out.append([c, c, mapping[c]])
    return out


def stand_ins():
    unassigned = [c for c in CODE_POINTS if unicodedata.category(chr(c)) == "Cn"]
    new = matching(r"\P{Cn}", unassigned)
    kinds = {c: [len(chr(c).encode())] for c in [*new, *STAND_INS]}
    for name in PROPERTIES:
        having = matching(r"\p{%s}" % name, kinds)
        for c, kind in kinds.items():
            kind.append(c in having)
    stand_in_of = {tuple(kinds[c]): c for c in STAND_INS}
    assert len(stand_in_of) == len(STAND_INS)
    return ranges({c: stand_in_of[tuple(kinds[c])] for c in new})


def unknown_to_normalization():
    library = ctypes.CDLL(ctypes.util.find_library("utf8proc"))
    forms = [(normalizers.NFC(), 1 << 1 | 1 << 3), (normalizers.NFD(), 1 << 1 | 1 << 4),
             (normalizers.NFKC(), 1 << 1 | 1 << 2 | 1 << 3), (normalizers.NFKD(), 1 << 1 | 1 << 2 | 1 << 4)]
    buffer = ctypes.create_string_buffer(4096)
    words = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_int32))

    def by_utf8proc(text, options):
        data = text.encode()
        size = library.utf8proc_decompose(data, ctypes.c_ssize_t(len(data)), words, ctypes.c_ssize_t(1000), options)
        size = library.utf8proc_reencode(words, ctypes.c_ssize_t(size), options)
        return buffer.raw[:size].decode()

    different = set()
    for c in CODE_POINTS:
        for text in ("a" + chr(c) + "\u0301\u0316\u0327", chr(c) + "\u0301", "\u0327\u0301\u0316" + chr(c) + "\u0334"):
            if any(form.normalize_str(text) != by_utf8proc(text, options) for form, options in forms):
                different.add(c)
    for c in different:  # the package leaves them as they are
        for form, _ in forms:
            assert form.normalize_str("\u0327\u0316" + chr(c) + "\u0334") == "\u0327\u0316" + chr(c) + "\u0334", hex(c)
    return ranges({c: None for c in different})


def unknown_to_punctuation():
    split = pre_tokenizers.Punctuation("removed")
    return ranges({c: None for c in matching(r"\p{P}", CODE_POINTS) if split.pre_tokenize_str(chr(c))})


def table(rows, per_line):
    lines = ["    " + " ".join(rows[i:i + per_line]) for i in range(0, len(rows), per_line)]
    return "\n".join(lines)


new = stand_ins()
unknown = unknown_to_normalization()
punctuation = unknown_to_punctuation()
sys.stdout.write(f"""\
// Tables of unicode_versions.h. Made by tests/data/tokenizers/reference/make_unicode_tables.py; do not
// edit.
#pragma once

#include <array>

namespace hyperpp::data {{

// Characters [first, last] that are newer than Unicode 14, and one that stands in for each.
struct StandInRange {{
  char32_t first;
  char32_t last;
  char32_t stand_in;
}};

// Characters [first, last] that a part of the package does not know.
struct UnknownRange {{
  char32_t first;
  char32_t last;
}};

// clang-format off
inline constexpr std::array<StandInRange, {len(new)}> kStandIns = {{{{
{table(["{0x%X, 0x%X, 0x%X}," % tuple(row) for row in new], 3)}
}}}};

inline constexpr std::array<UnknownRange, {len(unknown)}> kUnknownToNormalization = {{{{
{table(["{0x%X, 0x%X}," % tuple(row[:2]) for row in unknown], 4)}
}}}};

inline constexpr std::array<UnknownRange, {len(punctuation)}> kUnknownToPunctuation = {{{{
{table(["{0x%X, 0x%X}," % tuple(row[:2]) for row in punctuation], 4)}
}}}};
// clang-format on

}}  // namespace hyperpp::data
""")
