// Which rows of a matrix with one row per token id (embedding table, output head) are at hand,
// where they are split over ranks: token id `first + i` has row i.
#pragma once

#include <cstdint>

namespace hyperpp::kernels {

struct VocabularyPart {
  int64_t first = 0;  // token id of row 0
  int64_t whole = 0;  // rows of the whole matrix; 0: all of them are at hand

  int64_t WholeRows(int64_t local_rows) const { return whole > 0 ? whole : local_rows; }
};

}  // namespace hyperpp::kernels
