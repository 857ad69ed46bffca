#include "hyperpp/trainer/evaluate_run.h"

#include "hyperpp/config/load.h"
#include "hyperpp/trainer/build_model.h"
#include "hyperpp/trainer/checkpointing.h"
#include "hyperpp/trainer/data_options.h"
#include "hyperpp/trainer/device.h"
#include "hyperpp/trainer/initial_weights.h"

namespace hyperpp::trainer {

EvaluationResult EvaluateRun(const RunInputs& inputs, comm::World& world) {
  const config::Config& config = inputs.config;
  const RunDevice device =
      ChooseDevice(config, world.identity().local_rank, world.identity().local_world_size);
  world.CheckSame(config::Flatten(config));
  PrepareProcess(device, config.training.deterministic);

  std::unique_ptr<data::Source> source;
  BuiltModel model = BuildStages(inputs, world, device, /*trace=*/nullptr);
  MaterialiseModel(model, &world, device, /*with_gradients=*/false);
  world.Agree([&] {
    data::SourceOptions options = DataOptions(inputs, world);
    options.for_evaluation = true;
    const config::DataSection& section =
        config.evaluation.data ? *config.evaluation.data : config.data;
    source = data::OpenEvaluationData(section, options, config.evaluation.max_samples);
    const Checkpointing checkpoints(inputs, world, Log());
    const std::optional<std::string> folder = checkpoints.Find();
    if (folder) {
      checkpoint::CheckpointReader reader(*folder);
      checkpoints.LoadWeights(reader, *model.store);
    } else {
      LoadInitialWeights(model, inputs);
    }
  });
  model.pipeline->Prepare();
  return Evaluate(*model.pipeline, *source, world,
                  EvaluationBatchesOf(inputs, world, device.device));
}

}  // namespace hyperpp::trainer
