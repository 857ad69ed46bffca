#include "hyperpp/models/random_init.h"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

namespace hyperpp::models {
namespace {

at::Tensor Normal(const std::string& fqn, uint64_t seed, int64_t first, int64_t count) {
  at::Tensor out = at::empty({count}, at::kFloat);
  FillNormal(out, fqn, seed, first, 0.5);
  return out;
}

TEST(RandomInitTest, PiecesAreTheSameAsTheWhole) {
  const at::Tensor whole = Normal("a.weight", 1, 0, 100000);
  EXPECT_TRUE(Normal("a.weight", 1, 40000, 333).equal(whole.narrow(0, 40000, 333)));
}

TEST(RandomInitTest, NameAndSeedChangeTheValues) {
  const at::Tensor values = Normal("a.weight", 1, 0, 100);
  EXPECT_FALSE(Normal("b.weight", 1, 0, 100).equal(values));
  EXPECT_FALSE(Normal("a.weight", 2, 0, 100).equal(values));
}

TEST(RandomInitTest, MomentsAreThoseOfTheNormalDistribution) {
  const at::Tensor x = Normal("a.weight", 1, 0, 1 << 20).to(at::kDouble) / 0.5;
  EXPECT_NEAR(x.mean().item<double>(), 0, 5e-3);
  EXPECT_NEAR(x.pow(2).mean().item<double>(), 1, 1e-2);
  EXPECT_NEAR(x.pow(4).mean().item<double>(), 3, 6e-2);
  EXPECT_NEAR((x.narrow(0, 0, 1000000) * x.narrow(0, 1, 1000000)).mean().item<double>(), 0, 5e-3);
}

}  // namespace
}  // namespace hyperpp::models
