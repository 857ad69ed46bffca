// What the executor tells the owner of sharded weights; see parallel/fsdp.
#pragma once

#include "hyperpp/pipeline/schedule/action.h"

namespace hyperpp::pipeline {

class StageSharding {
 public:
  virtual ~StageSharding() = default;
  /// Starts gathering what the stage needs first.
  virtual void Unshard(StageIndex stage) = 0;
  /// Lets go of what is still gathered for the stage.
  virtual void Reshard(StageIndex stage) = 0;
  /// Starts summing into the shards what has not been started yet.
  virtual void ReduceGradients(StageIndex stage) = 0;
};

}  // namespace hyperpp::pipeline
