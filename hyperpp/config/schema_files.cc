// From and to which files: data, evaluation, checkpoints and output.
#include <functional>

#include "hyperpp/config/schema.h"

namespace hyperpp::config {
namespace {

// `data` and `evaluation.data` have the same keys.
template <typename Select>
SectionTable<Select> DataTable(const std::string& name, const std::string& meaning, Select select) {
  using D = DataSection;
  SectionTable<Select> table(name, meaning, select);
  table
      .Required("type", &D::type,
                Choice<DataType>{{{"indexed", DataType::kIndexed},
                                  {"samples", DataType::kSamples},
                                  {"text", DataType::kText},
                                  {"synthetic", DataType::kSynthetic}}},
                "Format: PREFIX.bin with .idx, JSONL samples, UTF-8 text, or made-up tokens.")
      .Add("path", &D::path, DataPaths{},
           "Where the data is, or several sources that are mixed by weight.",
           "required, except for synthetic")
      .Add("tokenizer", &D::tokenizer, Text{"bytes | file"},
           "How text becomes tokens: bytes, a sentencepiece model or a tokenizer.json.",
           "required for text")
      .Add("shuffle", &D::shuffle, Boolean{}, "Permute the samples by seed and epoch.")
      .Add("document_mask", &D::document_mask, Boolean{},
           "Attention and positions restart at each document.")
      .Add("eos_token_id", &D::eos_token_id, Optional{Integer{}}, "Token that ends a document.",
           "config.json's");
  return table;
}

}  // namespace

Section DataKeys() {
  return DataTable("data", "What the model is trained on.",
                   [](auto& config) -> auto& { return config.data; })
      .Build();
}

Section EvaluationKeys() {
  using E = EvaluationSection;
  return SectionTable("evaluation", "Loss on other data, during the run and at its end.",
                      [](auto& config) -> auto& { return config.evaluation; })
      .Add("interval", &E::interval, Integer{}, "Steps between evaluations; 0: only at the end.")
      .Add("max_samples", &E::max_samples, Integer{}, "Samples of an evaluation; 0: all.")
      .Build();
}

Section EvaluationDataKeys() {
  return DataTable("evaluation.data", "What is evaluated on; without it nothing is.",
                   [](auto& config) -> auto& { return *config.evaluation.data; })
      .OnlyIfWritten([](const Config& config) { return config.evaluation.data.has_value(); },
                     [](Config& config) { config.evaluation.data.emplace(); })
      .Build();
}

Section CheckpointKeys() {
  using C = CheckpointSection;
  return SectionTable("checkpoint", "Saving and resuming.",
                      [](auto& config) -> auto& { return config.checkpoint; })
      .Add("directory", &C::directory, Optional{Text{"folder"}}, "Folder of the step folders.",
           "checkpoints below output.directory")
      .Add("interval", &C::interval, Integer{},
           "Steps between checkpoints; 0 saves only the last step, and nothing without directory.")
      .Add("keep", &C::keep, Integer{}, "Newest checkpoints that are kept; 0: all.")
      .Add("resume", std::identity{}, ResumeFrom{},
           "Start anew, from the newest complete checkpoint if there is one, or from a folder.")
      .Add("async", &C::async, Boolean{},
           "Write while training goes on, from a copy of what each rank saves. A failed write ends "
           "the run after the step it is in.")
      .Add("export_hf", &C::export_hf, Boolean{},
           "Write the final model in Hugging Face form to hf below output.directory.")
      .Add("weights_only", &C::weights_only, Boolean{},
           "Resume loads only weights and starts at step 0.")
      .Build();
}

Section OutputKeys() {
  using O = OutputSection;
  return SectionTable("output", "What a run leaves behind.",
                      [](auto& config) -> auto& { return config.output; })
      .Required("directory", &O::directory, Text{"folder"},
                "Folder of metrics.jsonl, the resolved config.yaml, checkpoints and exports.")
      .Add("log_interval", &O::log_interval, Integer{.minimum = 1},
           "Steps between lines on the console.")
      .Add("tensorboard", &O::tensorboard, Boolean{}, "Write TensorBoard event files.")
      .Add("checksums", &O::checksums, Boolean{},
           "Write checksums of weights and gradients per step, to compare runs.")
      .Build();
}

Section TraceKeys() {
  using T = TraceSection;
  return SectionTable("output.trace", "Timeline of some steps; without it none is written.",
                      [](auto& config) -> auto& { return *config.output.trace; })
      .Add("start_step", &T::start_step, Integer{.minimum = 1}, "First step in the timeline.")
      .Add("num_steps", &T::num_steps, Integer{.minimum = 1}, "Number of steps in it.")
      .OnlyIfWritten([](const Config& config) { return config.output.trace.has_value(); },
                     [](Config& config) { config.output.trace.emplace(); })
      .Build();
}

}  // namespace hyperpp::config
