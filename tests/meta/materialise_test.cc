#include "hyperpp/meta/materialise.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "tests/support/counting_allocator.h"

namespace hyperpp::meta {
namespace {

using testing::ElementsAre;

at::Tensor Meta(at::IntArrayRef shape) {
  return at::empty(shape, at::TensorOptions().device(at::kMeta).dtype(at::kFloat));
}

class Leaf : public torch::nn::Module {
 public:
  Leaf() {
    weight = register_parameter("weight", Meta({3, 2}));
    table = register_buffer("table", Meta({4}));
  }
  at::Tensor weight, table;
};

class Pair : public torch::nn::Module {
 public:
  Pair() {
    left = register_module("left", std::make_shared<Leaf>());
    right = register_module("right", std::make_shared<Leaf>());
  }
  std::shared_ptr<Leaf> left, right;
};

TEST(MaterialiseTest, RehomeKeepsEveryHandle) {
  at::Tensor tensor = Meta({2, 2}).requires_grad_();
  const at::Tensor other_handle = tensor;
  Rehome(tensor, at::full({2, 2}, 3.0));
  EXPECT_FALSE(other_handle.is_meta());
  EXPECT_EQ(other_handle.sum().item<double>(), 12);
  EXPECT_TRUE(other_handle.is_leaf());
  EXPECT_TRUE(other_handle.requires_grad());
  (other_handle * 2).sum().backward();
  EXPECT_TRUE(at::equal(tensor.grad(), at::full({2, 2}, 2.0)));
}

TEST(MaterialiseTest, RehomeMayChangeShapeAndDtype) {
  const at::Tensor tensor = Meta({2, 3});
  Rehome(tensor, at::ones({4}, at::kBFloat16));
  EXPECT_EQ(tensor.sizes(), at::IntArrayRef({4}));
  EXPECT_EQ(tensor.scalar_type(), at::kBFloat16);
  EXPECT_EQ((tensor + tensor).sum().item<double>(), 8);
}

TEST(MaterialiseTest, RehomeMovesWhatHasMemoryAlready) {
  const at::Tensor tensor = at::zeros({2}), memory = at::ones({2});
  Rehome(tensor, memory);
  EXPECT_EQ(tensor.data_ptr(), memory.data_ptr());
}

TEST(MaterialiseTest, ParametersAndBuffersGetMemoryInPlace) {
  Pair module;
  Materialise(module, at::kCPU);
  EXPECT_THAT(NamesOnMeta(module), ElementsAre());
  const at::NoGradGuard no_grad;
  module.right->weight.fill_(5);
  module.left->table.fill_(6);
  EXPECT_TRUE(at::equal(module.named_parameters()["right.weight"], at::full({3, 2}, 5.0)));
  EXPECT_TRUE(at::equal(module.named_buffers()["left.table"], at::full({4}, 6.0)));
  EXPECT_TRUE(module.left->weight.requires_grad());
  EXPECT_FALSE(module.left->table.requires_grad());
}

TEST(MaterialiseTest, ValuesThatAreThereStay) {
  Pair module;
  Rehome(module.left->weight, at::full({3, 2}, 7.0));
  const void* memory = module.left->weight.data_ptr();
  Materialise(module, at::kCPU);
  EXPECT_EQ(module.left->weight.data_ptr(), memory);
  EXPECT_EQ(module.left->weight.sum().item<double>(), 42);
}

TEST(MaterialiseTest, TiedParameterGetsMemoryOnce) {
  auto& memory = test::CountingAllocator::Install();
  torch::nn::Module module;
  const at::Tensor tied = module.register_parameter("embedding", Meta({256}));
  module.register_parameter("head", tied);
  const int64_t before = memory.allocated_bytes();
  Materialise(module, at::kCPU);
  EXPECT_EQ(memory.allocated_bytes() - before, 256 * 4);
  EXPECT_EQ(module.named_parameters()["head"].data_ptr(), tied.data_ptr());
}

TEST(MaterialiseTest, WhatIsStillOnMetaIsNamed) {
  Pair module;
  Rehome(module.left->weight, at::zeros({3, 2}));
  EXPECT_THAT(NamesOnMeta(module), ElementsAre("right.weight", "left.table", "right.table"));
}

}  // namespace
}  // namespace hyperpp::meta
