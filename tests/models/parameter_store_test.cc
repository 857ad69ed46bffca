#include "hyperpp/models/parameter_store.h"

#include <gtest/gtest.h>

#include "tests/models/tiny_decoder.h"

namespace hyperpp::models {
namespace {

TEST(ParameterStoreTest, GradientRangeHoldsItsWeightsAndNoOther) {
  TinyDecoder model(false);
  ParameterStore& store = *model.store;
  store.weights()[2]->gradient().fill_(1);
  store.weights()[3]->gradient().fill_(1);
  const double elements = static_cast<double>(store.weights()[2]->parameter().numel() +
                                              store.weights()[3]->parameter().numel());
  EXPECT_EQ(store.GradientRange(2, 4).sum().item<double>(), elements);
  EXPECT_EQ(store.GradientRange(0, store.weights().size()).sum().item<double>(), elements);
  EXPECT_EQ(store.GradientRange(4, store.weights().size()).sum().item<double>(), 0);
}

TEST(ParameterStoreTest, OnlyMatricesGetACopyInTheComputeDtype) {
  TinyDecoder model(false, at::kBFloat16);
  for (const Weight* weight : model.store->weights()) {
    const bool matrix = weight->use() == WeightUse::kMatrix;
    EXPECT_EQ(weight->compute().scalar_type(), matrix ? at::kBFloat16 : at::kFloat)
        << weight->fqn();
    EXPECT_TRUE(weight->compute().to(at::kFloat).allclose(weight->parameter(), 1e-2))
        << weight->fqn();
  }
}

TEST(ParameterStoreTest, ModuleAndWeightShareTheMaterialisedParameter) {
  TinyDecoder model(true);
  const at::Tensor registered = model.decoder->named_parameters()["model.norm.weight"];
  model.store->weights().back()->parameter().detach().fill_(5);
  EXPECT_EQ(registered[0].item<float>(), 5);
  EXPECT_TRUE(registered.is_cpu());
}

TEST(ParameterStoreTest, FloatComputeReadsTheParameterItself) {
  TinyDecoder model(false);
  for (const Weight* weight : model.store->weights())
    EXPECT_EQ(weight->compute().data_ptr(), weight->parameter().data_ptr()) << weight->fqn();
}

}  // namespace
}  // namespace hyperpp::models
