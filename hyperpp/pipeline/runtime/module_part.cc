#include "hyperpp/pipeline/runtime/module_part.h"

#include <utility>

#include "hyperpp/core/error.h"

namespace hyperpp::pipeline {
namespace {

// A module without parameters or computation: one level of names.
class NameLevel : public torch::nn::Module {
 public:
  /// The level `name` below this one, made if it is not there.
  std::shared_ptr<NameLevel> Level(const std::string& name) {
    const auto known = named_children();
    const auto* found = known.find(name);
    if (found == nullptr) return register_module(name, std::make_shared<NameLevel>());
    auto level = std::dynamic_pointer_cast<NameLevel>(*found);
    HYPERPP_CHECK(level, "a part is named below {}, which is a part itself", name);
    return level;
  }
  void Add(const std::string& name, std::shared_ptr<torch::nn::Module> module) {
    register_module(name, std::move(module));
  }
};

}  // namespace

std::shared_ptr<torch::nn::Module> MakeModulePart(torch::nn::Module& whole,
                                                  const std::vector<std::string>& names) {
  auto root = std::make_shared<NameLevel>();
  const auto modules = whole.named_modules("", /*include_self=*/false);
  for (const std::string& name : names) {
    const auto* found = modules.find(name);
    if (found == nullptr)
      throw PlanError(fmt::format(
          "pipeline: the model has no module {}; name a module of it in the model's hooks", name));
    std::size_t begin = 0;
    std::shared_ptr<NameLevel> level = root;
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', begin)) {
      level = level->Level(name.substr(begin, dot - begin));
      begin = dot + 1;
    }
    level->Add(name.substr(begin), *found);
  }
  return root;
}

}  // namespace hyperpp::pipeline
