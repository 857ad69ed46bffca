#include "hyperpp/config/schema.h"

namespace hyperpp::config {

std::vector<Section> Schema() {
  return {
      ModelKeys(),           TrainingKeys(),    PrecisionKeys(),  OptimizerKeys(),
      LrSchedulerKeys(),     AcceleratorKeys(), PipelineKeys(),   FsdpKeys(),
      ContextParallelKeys(), ActivationKeys(),  MoeKeys(),        MtpKeys(),
      IndexerKeys(),         DataKeys(),        EvaluationKeys(), EvaluationDataKeys(),
      CheckpointKeys(),      OutputKeys(),      TraceKeys(),
  };
}

}  // namespace hyperpp::config
