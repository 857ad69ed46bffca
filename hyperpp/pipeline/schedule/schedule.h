// A schedule as data: for each pipeline rank, the order of its actions.
//
// A generator (gpipe.h, one_f_one_b.h, interleaved_1f1b.h) gives the order of compute actions; a
// pass (insert_communication.h) adds the messages; the validator proves the result legal; the
// executor walks it and knows no schedule by name.
//
// Virtual stage = chunk * num_ranks + rank. Four ranks with two chunks:
//
//     rank      0  1  2  3
//     chunk 0   0  1  2  3
//     chunk 1   4  5  6  7     activations go from stage 3 on rank 3 back to rank 0
//
// Source: torch.distributed.pipelining, schedules.py, for schedules as lists of actions.
#pragma once

#include <string>
#include <vector>

#include "hyperpp/pipeline/schedule/action.h"

namespace hyperpp::pipeline {

/// What a schedule is generated for.
struct ScheduleShape {
  int num_ranks = 1;
  int num_chunks = 1;  // virtual stages per rank
  int num_microbatches = 1;

  bool operator==(const ScheduleShape&) const = default;

  int NumStages() const { return num_ranks * num_chunks; }
  int RankOf(StageIndex stage) const { return stage.value % num_ranks; }
  int ChunkOf(StageIndex stage) const { return stage.value / num_ranks; }
  StageIndex StageOf(int rank, int chunk) const { return {chunk * num_ranks + rank}; }
  bool IsFirst(StageIndex stage) const { return stage.value == 0; }
  bool IsLast(StageIndex stage) const { return stage.value == NumStages() - 1; }
};

/// The actions of one pipeline rank, in the order in which it runs them.
using RankActions = std::vector<Action>;

struct Schedule {
  std::string name;  // for messages
  ScheduleShape shape;
  std::vector<RankActions> ranks;  // one per pipeline rank

  bool operator==(const Schedule&) const = default;

  /// Tells whether any rank sends or receives.
  bool HasCommunication() const;
};

/// Refuses shapes without ranks, chunks or microbatches.
/// Errors: PlanError that names the schedule.
void CheckShape(const std::string& schedule, const ScheduleShape& shape);

/// Refuses, beside what CheckShape refuses, more than one chunk.
/// Errors: PlanError that names the schedule.
void CheckSingleChunk(const std::string& schedule, const ScheduleShape& shape);

}  // namespace hyperpp::pipeline
