#include "hyperpp/checkpoint/resume_check.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/ranges.h>

#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace {

constexpr size_t kMaxNamed = 20;

/// "a, b, c and 7 more"
std::string List(std::vector<std::string> names) {
  const size_t num_more = names.size() - std::min(names.size(), kMaxNamed);
  names.resize(names.size() - num_more);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  return num_more == 0 ? text : fmt::format("{} and {} more", text, num_more);
}

}  // namespace

void CheckModel(const CheckpointReader& reader, const ModelOutline& outline) {
  const ModelOutline& saved = reader.manifest().state.outline;
  std::map<std::string, std::vector<int64_t>> shape_of;
  for (const ParameterOutline& parameter : saved.parameters)
    shape_of[parameter.fqn] = parameter.shape;

  std::vector<std::string> problems, missing;
  std::set<std::string> known;
  for (const ParameterOutline& parameter : outline.parameters) {
    known.insert(parameter.fqn);
    const auto found = shape_of.find(parameter.fqn);
    if (found == shape_of.end() ||
        (parameter.NumElements() > 0 && !reader.Has(parameter.fqn, kParameter))) {
      missing.push_back(parameter.fqn);
    } else if (found->second != parameter.shape) {
      problems.push_back(fmt::format("{} is [{}], the model needs [{}]", parameter.fqn,
                                     fmt::join(found->second, ", "),
                                     fmt::join(parameter.shape, ", ")));
    }
  }
  if (!missing.empty()) problems.push_back("lacks " + List(missing));
  std::vector<std::string> left_over;
  for (const auto& [name, shape] : shape_of)
    if (!known.contains(name)) left_over.push_back(name);
  if (!left_over.empty()) problems.push_back("the model has no " + List(left_over));
  if (std::set(saved.tied.begin(), saved.tied.end()) !=
      std::set(outline.tied.begin(), outline.tied.end()))
    problems.push_back("other parameters are tied than in the model (tie_word_embeddings)");
  if (problems.empty()) return;
  throw InputError(fmt::format("{}: {}; the checkpoint is of another model", reader.folder(),
                               fmt::join(problems, ", ")));
}

bool CheckOptimizer(const CheckpointReader& reader, const OptimizerNeeds& needs) {
  constexpr const char* kAdvice = "set checkpoint.weights_only: true to start with fresh state";
  const CheckpointState& state = reader.manifest().state;
  const std::string saved_type =
      state.optimizer.is_object() ? state.optimizer.value("type", std::string()) : std::string();
  std::vector<std::string> missing;
  size_t num_there = 0;
  for (const std::string& kind : needs.kinds) {
    for (const std::string& fqn : needs.trainable) {
      reader.Has(fqn, kind) ? static_cast<void>(++num_there)
                            : missing.push_back(fmt::format("{} of {}", kind, fqn));
    }
  }
  if (state.step == 0 && num_there == 0) return false;
  if (saved_type != needs.type)
    throw InputError(
        fmt::format("{}: the optimizer is '{}', optimizer.type is {}; set "
                    "optimizer.type: {}, or {}",
                    reader.folder(), saved_type, needs.type, saved_type, kAdvice));
  if (!missing.empty())
    throw InputError(
        fmt::format("{}: optimizer state is missing: {}; restore the checkpoint, or {}",
                    reader.folder(), List(missing), kAdvice));
  return true;
}

}  // namespace hyperpp::checkpoint
