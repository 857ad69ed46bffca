// The typed form of a run's YAML file: one struct per section, one member per key, with the
// defaults.
//
// config/schema.h names every key with its type, range and meaning, and is what the parser, the
// reference (`hyperpp config`, docs/config_reference.md) and the rank comparison walk over. Structs
// here hold values that were checked one by one; rules that need several keys are in
// config/rules.cc, and rules that need the model or the data in plan/.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hyperpp/config/location.h"

namespace hyperpp::config {

enum class ModelInit { kAuto, kPretrained, kRandom };
enum class LossReduction { kTokenMean, kMicrobatchMean };
enum class OnNonFinite { kStop, kSkip };
enum class DType { kFloat32, kBFloat16 };
enum class ComputeDType { kAuto, kBFloat16, kFloat32 };
enum class OptimizerType { kAdamW, kSgd };
enum class LrSchedule { kConstant, kLinear, kCosine, kWsd };
enum class DeviceType { kAuto, kCpu, kCuda };
enum class Backend { kAuto, kGloo, kNccl };
enum class ScheduleType { kGPipe, k1F1B, kInterleaved1F1B };
enum class Balance { kLayers, kCost };
enum class ContextMethod { kAllGather, kRing, kAllToAll };
enum class Recompute { kNone, kSelective, kFull };
enum class IndexerMode { kSparse, kDense };
enum class DataType { kIndexed, kSamples, kText, kSynthetic };
enum class ResumeMode { kNone, kAuto, kDirectory };

struct ModelSection {
  std::string path;              // folder with config.json; empty if `inline_config` is given
  nlohmann::json inline_config;  // null if `path` is given
  nlohmann::json overrides;      // object, or null
  ModelInit init = ModelInit::kAuto;
};

struct TrainingSection {
  int64_t steps = 0;
  int64_t global_batch_size = 0;  // sequences per optimizer step, all ranks
  int64_t sequence_length = 0;    // tokens
  int64_t micro_batch_size = 1;   // sequences per accumulation step without a pipeline
  int64_t seed = 0;
  bool deterministic = false;
  std::vector<std::string> trainable = {"*"};
  LossReduction loss_reduction = LossReduction::kTokenMean;
  OnNonFinite on_nonfinite = OnNonFinite::kStop;
};

struct PrecisionSection {
  DType param_dtype = DType::kFloat32;
  ComputeDType compute_dtype = ComputeDType::kAuto;
  DType reduce_dtype = DType::kFloat32;
};

struct OptimizerSection {
  OptimizerType type = OptimizerType::kAdamW;
  double lr = 0;  // required
  std::array<double, 2> betas = {0.9, 0.95};
  double eps = 1e-8;
  double weight_decay = 0.1;
  double momentum = 0;
  double clip_grad_norm = 1.0;  // 0: no clipping
};

struct LrSchedulerSection {
  LrSchedule type = LrSchedule::kConstant;
  int64_t warmup_steps = 0;
  std::optional<int64_t> decay_steps;
  double min_lr_ratio = 0.1;
};

struct AcceleratorSection {
  DeviceType device = DeviceType::kAuto;
  int64_t pp_size = 1, tp_size = 1, cp_size = 1, ep_size = 1;
  int64_t dp_shard_size = 1;  // -1: what is left of the world
  int64_t dp_replicate_size = 1;
  bool sequence_parallel = true;
  Backend backend = Backend::kAuto;
  double timeout_seconds = 600;
  std::optional<int64_t> threads_per_rank;  // empty: auto
};

struct PipelineSection {
  bool enabled = false;
  ScheduleType schedule = ScheduleType::k1F1B;
  int64_t pp_microbatch_size = 1;
  // [] is automatic; a one-dimensional list becomes one row with `split_is_2d` false.
  std::vector<std::vector<int64_t>> split;
  bool split_is_2d = false;
  Balance balance = Balance::kLayers;
  bool p2p_overlap = true;
  bool p2p_multi_stream = false;
};

struct FsdpSection {
  bool reshard_after_forward = true;
  int64_t prefetch = 1;
  bool comm_fusion = true;
};

struct ContextParallelSection {
  ContextMethod method = ContextMethod::kAllGather;
  bool load_balance = true;
};

struct ActivationSection {
  Recompute recompute = Recompute::kNone;
  std::optional<std::vector<int64_t>> layers;  // empty: all
};

struct MoeSection {
  double balance_loss_coef = 0, z_loss_coef = 0, bias_update_speed = 0;
};

struct MtpSection {
  double loss_coef = 0.3;
};

struct IndexerSection {
  double loss_coef = 0;
  IndexerMode mode = IndexerMode::kSparse;
};

struct DataSource {
  std::string path;
  double weight = 1;
};

struct DataSection {
  DataType type = DataType::kIndexed;  // required
  std::vector<DataSource> path;        // one entry for a plain path; empty for synthetic
  std::string tokenizer;               // "bytes" or a file; empty if not given
  bool shuffle = true;
  bool document_mask = false;
  std::optional<int64_t> eos_token_id;
};

struct EvaluationSection {
  int64_t interval = 0;     // steps; 0: no evaluation during training
  int64_t max_samples = 0;  // 0: all
  std::optional<DataSection> data;
};

struct CheckpointSection {
  std::optional<std::string> directory;  // default: output.directory/checkpoints
  int64_t interval = 0;                  // steps; 0 and no `directory`: checkpoints are off
  int64_t keep = 0;                      // 0: all
  ResumeMode resume = ResumeMode::kNone;
  std::string resume_directory;  // with ResumeMode::kDirectory
  bool async = false;
  bool export_hf = false;
  bool weights_only = false;
};

struct TraceSection {
  int64_t start_step = 1;
  int64_t num_steps = 1;
};

struct OutputSection {
  std::string directory;  // required
  int64_t log_interval = 1;
  bool tensorboard = false;
  bool checksums = false;
  std::optional<TraceSection> trace;
};

struct Config {
  ModelSection model;
  TrainingSection training;
  PrecisionSection precision;
  OptimizerSection optimizer;
  LrSchedulerSection lr_scheduler;
  AcceleratorSection accelerator;
  PipelineSection pipeline;
  FsdpSection fsdp;
  ContextParallelSection context_parallel;
  ActivationSection activation;
  MoeSection moe;
  MtpSection mtp;
  IndexerSection indexer;
  DataSection data;
  EvaluationSection evaluation;
  CheckpointSection checkpoint;
  OutputSection output;

  KeyLocations locations;  // where each key was written, for messages
};

}  // namespace hyperpp::config
