// What is trained, and how: model, training, precision, optimizer, its schedule, activations and
// auxiliary losses.
#include <functional>

#include "hyperpp/config/schema.h"

namespace hyperpp::config {

Section ModelKeys() {
  return SectionTable("model", "The model: a Hugging Face folder, or its config written here.",
                      [](auto& config) -> auto& { return config.model; })
      .Add("path", &ModelSection::path, Text{"folder"},
           "Folder with config.json, and with *.safetensors for a pretrained model.")
      .Add("config", &ModelSection::inline_config, FreeMap{},
           "Instead of path: the keys of config.json.")
      .Add("overrides", &ModelSection::overrides, FreeMap{},
           "Keys that replace those of the config.json in path.")
      .Add("init", &ModelSection::init,
           Choice<ModelInit>{
               {{"pretrained", ModelInit::kPretrained}, {"random", ModelInit::kRandom}}},
           "First weights: the folder's, or random by training.seed and parameter name.",
           "pretrained if the folder has weights")
      .Build();
}

Section TrainingKeys() {
  using T = TrainingSection;
  return SectionTable("training", "Length and batches of the run.",
                      [](auto& config) -> auto& { return config.training; })
      .Required("steps", &T::steps, Integer{},
                "Optimizer steps since step 0, also on resume; 0 only loads and exports.")
      .Required("global_batch_size", &T::global_batch_size, Integer{.minimum = 1},
                "Sequences per optimizer step, over all ranks.")
      .Required("sequence_length", &T::sequence_length, Integer{.minimum = 1},
                "Tokens per sequence.")
      .Add("micro_batch_size", &T::micro_batch_size, Integer{.minimum = 1},
           "Sequences per accumulation step without a pipeline; no effect with one.")
      .Add("seed", &T::seed, Integer{.maximum = std::numeric_limits<int64_t>::max()},
           "Seed of random weights, data order and dropout.")
      .Add("deterministic", &T::deterministic, Boolean{},
           "Two runs on the same layout give the same bits.")
      .Add("trainable", &T::trainable, ListOf{Text{"name patterns"}},
           "Parameters that are trained, as patterns with * and ?; the rest is frozen.")
      .Add("loss_reduction", &T::loss_reduction,
           Choice<LossReduction>{{{"token_mean", LossReduction::kTokenMean},
                                  {"microbatch_mean", LossReduction::kMicrobatchMean}}},
           "Loss: mean over all labels of the global batch, or mean of the microbatches' means.")
      .Add("on_nonfinite", &T::on_nonfinite,
           Choice<OnNonFinite>{{{"stop", OnNonFinite::kStop}, {"skip", OnNonFinite::kSkip}}},
           "On a loss or gradient that is not finite: end with status 4, or skip the update.")
      .Build();
}

Section PrecisionKeys() {
  using P = PrecisionSection;
  const Choice<DType> dtype{{{"float32", DType::kFloat32}, {"bfloat16", DType::kBFloat16}}};
  return SectionTable("precision", "Types of numbers.",
                      [](auto& config) -> auto& { return config.precision; })
      .Add("param_dtype", &P::param_dtype, dtype, "Type of the master weights.")
      .Add("compute_dtype", &P::compute_dtype,
           Choice<ComputeDType>{{{"auto", ComputeDType::kAuto},
                                 {"bfloat16", ComputeDType::kBFloat16},
                                 {"float32", ComputeDType::kFloat32}}},
           "Type of matrix products and activations; auto is bfloat16 where the device is fast "
           "with it.")
      .Add("reduce_dtype", &P::reduce_dtype, dtype,
           "Type in which gradients accumulate and are reduced over ranks.")
      .Build();
}

Section OptimizerKeys() {
  using O = OptimizerSection;
  return SectionTable("optimizer", "The update rule.",
                      [](auto& config) -> auto& { return config.optimizer; })
      .Add("type", &O::type,
           Choice<OptimizerType>{{{"adamw", OptimizerType::kAdamW}, {"sgd", OptimizerType::kSgd}}},
           "Update rule.")
      .Required("lr", &O::lr, Number{}, "Peak learning rate.")
      .Add("betas", &O::betas, Betas{}, "Decay rates of adamw's two moments.")
      .Add("eps", &O::eps, Number{.above_minimum = true},
           "What adamw adds to the root of the second moment.")
      .Add("weight_decay", &O::weight_decay, Number{},
           "Decoupled weight decay of parameters with two or more dimensions.")
      .Add("momentum", &O::momentum, Number{.maximum = 1, .below_maximum = true},
           "Momentum of sgd.")
      .Add("clip_grad_norm", &O::clip_grad_norm, Number{},
           "Largest norm of the whole model's gradient; 0 does not clip.")
      .Build();
}

Section LrSchedulerKeys() {
  using L = LrSchedulerSection;
  return SectionTable("lr_scheduler", "The learning rate over the steps.",
                      [](auto& config) -> auto& { return config.lr_scheduler; })
      .Add("type", &L::type,
           Choice<LrSchedule>{{{"constant", LrSchedule::kConstant},
                               {"linear", LrSchedule::kLinear},
                               {"cosine", LrSchedule::kCosine},
                               {"wsd", LrSchedule::kWsd}}},
           "Shape after warm-up; wsd stays at the peak and decays in its last decay_steps.")
      .Add("warmup_steps", &L::warmup_steps, Integer{}, "Steps of linear warm-up from 0.")
      .Add("decay_steps", &L::decay_steps, Optional{Integer{.minimum = 1}},
           "Steps of decay; required for wsd.", "steps - warmup_steps")
      .Add("min_lr_ratio", &L::min_lr_ratio, Number{.maximum = 1},
           "Last learning rate as a part of lr.")
      .Build();
}

Section ActivationKeys() {
  using A = ActivationSection;
  return SectionTable("activation", "What the backward pass computes again instead of keeping.",
                      [](auto& config) -> auto& { return config.activation; })
      .Add("recompute", &A::recompute,
           Choice<Recompute>{{{"none", Recompute::kNone},
                              {"selective", Recompute::kSelective},
                              {"full", Recompute::kFull}}},
           "Keep everything, recompute what is cheap, or keep only the inputs of layers.")
      .Add("layers", &A::layers, Optional{ListOf{Integer{}}, "all"},
           "Decoder layers that recompute, counted from 0.")
      .Build();
}

Section MoeKeys() {
  using M = MoeSection;
  return SectionTable("moe", "Training of routers; only for models with routed experts.",
                      [](auto& config) -> auto& { return config.moe; })
      .Add("balance_loss_coef", &M::balance_loss_coef, Number{},
           "Weight of load_balancing_loss in the total.")
      .Add("z_loss_coef", &M::z_loss_coef, Number{}, "Weight of the router's z-loss in the total.")
      .Add("bias_update_speed", &M::bias_update_speed, Number{},
           "Step of the router's correction bias, once per optimizer step.")
      .Build();
}

Section MtpKeys() {
  return SectionTable("mtp", "Multi-token prediction; only for models with an MTP block.",
                      [](auto& config) -> auto& { return config.mtp; })
      .Add("loss_coef", &MtpSection::loss_coef, Number{}, "Weight of mtp_1_loss in the total.")
      .Build();
}

Section IndexerKeys() {
  using I = IndexerSection;
  return SectionTable("indexer",
                      "Training of the sparse attention's indexer; only for models with one.",
                      [](auto& config) -> auto& { return config.indexer; })
      .Add("loss_coef", &I::loss_coef, Number{}, "Weight of indexer_loss in the total.")
      .Add("mode", &I::mode,
           Choice<IndexerMode>{{{"sparse", IndexerMode::kSparse}, {"dense", IndexerMode::kDense}}},
           "Tokens the loss looks at: the selected ones, or all.")
      .Build();
}

}  // namespace hyperpp::config
