#include "hyperpp/pipeline/runtime/module_part.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"

namespace hyperpp::pipeline {
namespace {

using test::ErrorText;
using testing::ElementsAre;
using testing::HasSubstr;

class Node : public torch::nn::Module {
 public:
  std::shared_ptr<Node> Child(const std::string& name) {
    return register_module(name, std::make_shared<Node>());
  }
  void AddWeight() { register_parameter("weight", at::zeros({1})); }
};

//     model.embed, model.layers.{0,1,2}.mlp, model.norm, head: a weight each
std::shared_ptr<Node> Whole() {
  auto whole = std::make_shared<Node>();
  auto model = whole->Child("model");
  model->Child("embed")->AddWeight();
  auto layers = model->Child("layers");
  for (const char* name : {"0", "1", "2"}) layers->Child(name)->Child("mlp")->AddWeight();
  model->Child("norm")->AddWeight();
  whole->Child("head")->AddWeight();
  return whole;
}

TEST(ModulePartTest, SubmodulesKeepTheirNames) {
  const auto whole = Whole();
  const auto part = MakeModulePart(*whole, {"model.layers.2", "model.norm", "head"});
  EXPECT_THAT(part->named_parameters().keys(),
              ElementsAre("model.layers.2.mlp.weight", "model.norm.weight", "head.weight"));
}

TEST(ModulePartTest, ObjectsAreThoseOfTheWhole) {
  const auto whole = Whole();
  const auto part = MakeModulePart(*whole, {"model.layers.1", "model.layers.0"});
  EXPECT_EQ(part->named_modules()["model.layers.1"], whole->named_modules()["model.layers.1"]);
  EXPECT_TRUE(part->named_parameters()["model.layers.0.mlp.weight"].is_same(
      whole->named_parameters()["model.layers.0.mlp.weight"]));
}

TEST(ModulePartTest, WholeIsNotChanged) {
  const auto whole = Whole();
  const auto names = whole->named_modules().keys();
  const auto part = MakeModulePart(*whole, {"model.layers.1"});
  EXPECT_EQ(whole->named_modules().keys(), names);
}

TEST(ModulePartTest, UnknownNameIsRefused) {
  const auto cut = [] { MakeModulePart(*Whole(), {"model.layers.0", "model.layers.3"}); };
  EXPECT_THAT(ErrorText<PlanError>(cut), HasSubstr("the model has no module model.layers.3"));
}

TEST(ModulePartTest, PartInsideAPartIsReported) {
  const auto cut = [] { MakeModulePart(*Whole(), {"model.layers.1", "model.layers.1.mlp"}); };
  EXPECT_THAT(ErrorText<InternalError>(cut),
              HasSubstr("a part is named below 1, which is a part itself"));
}

TEST(ModulePartTest, NoNamesMakeAnEmptyPart) {
  EXPECT_TRUE(MakeModulePart(*Whole(), {})->parameters().empty());
}

}  // namespace
}  // namespace hyperpp::pipeline
