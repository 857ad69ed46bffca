// YAML files of tiny runs, for tests of the program.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"

namespace hyperpp::cli {

/// A model of two layers; `more` are further keys of its config.json, each with a comma before it.
inline std::string TinyModel(const std::string& more = "") {
  return "{model_type: qwen3, vocab_size: 61, hidden_size: 24, intermediate_size: 40, "
         "num_hidden_layers: 2, "
         "num_attention_heads: 2, num_key_value_heads: 1, head_dim: 8, tie_word_embeddings: true" +
         more + "}";
}

/// Writes FOLDER/NAME.yaml: a two-layer model on synthetic data, with `lines` on top, each
/// "section.key: value" for a key of its own. Output goes to FOLDER/NAME.
inline std::string WriteRun(const test::TemporaryFolder& folder, const std::string& name,
                            const std::vector<std::string>& lines = {}) {
  std::map<std::string, std::map<std::string, std::string>> sections = {
      {"model", {{"init", "random"}, {"config", TinyModel()}}},
      {"training",
       {{"steps", "4"},
        {"global_batch_size", "8"},
        {"micro_batch_size", "2"},
        {"sequence_length", "16"},
        {"deterministic", "true"}}},
      {"precision", {{"compute_dtype", "float32"}}},
      {"optimizer", {{"type", "sgd"}, {"lr", "0.5"}, {"clip_grad_norm", "0"}}},
      {"accelerator", {{"device", "cpu"}, {"threads_per_rank", "1"}}},
      {"data", {{"type", "synthetic"}}},
      {"output", {{"directory", (folder / name).string()}}},
  };
  for (const std::string& line : lines) {
    const std::size_t dot = line.find('.'), colon = line.find(": ");
    sections[line.substr(0, dot)][line.substr(dot + 1, colon - dot - 1)] = line.substr(colon + 2);
  }
  const std::string path = (folder / (name + ".yaml")).string();
  std::ofstream out(path);
  for (const auto& [section, keys] : sections) {
    out << section << ":\n";
    for (const auto& [key, value] : keys) out << "  " << key << ": " << value << "\n";
  }
  return path;
}

/// Records of FOLDER/NAME/metrics.jsonl.
inline std::vector<nlohmann::json> Metrics(const test::TemporaryFolder& folder,
                                           const std::string& name) {
  std::ifstream in(folder / name / "metrics.jsonl");
  std::vector<nlohmann::json> records;
  for (std::string line; std::getline(in, line);) {
    auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (record.is_object())
      records.push_back(std::move(record));  // not a line that is being written
  }
  return records;
}

}  // namespace hyperpp::cli
