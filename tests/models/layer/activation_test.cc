#include "hyperpp/models/layer/activation.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

namespace hyperpp::models {
namespace {

using testing::ElementsAre;

TEST(ActivationTest, ValueThatIsMadeAgainIsMadeOnceForAllItsReaders) {
  int made = 0;
  const auto make = [&] { return at::full({2}, ++made); };
  const Activation activation(at::zeros({2}), std::make_shared<Remake>(make, /*num_takes=*/2));
  const auto first = activation.Keep(), second = activation.Keep();
  EXPECT_EQ(first()[0].item<int>(), 1);
  EXPECT_EQ(second()[0].item<int>(), 1);
  EXPECT_EQ(first()[0].item<int>(), 2) << "of another backward pass";
}

TEST(ActivationTest, DeferredWorkRunsInOrderAndOnce) {
  DeferredWork deferred;
  std::vector<int> order;
  deferred.Add([&] { order.push_back(1); });
  deferred.Add([&] { order.push_back(2); });
  EXPECT_THAT(order, ElementsAre());
  deferred.Run();
  EXPECT_THAT(order, ElementsAre(1, 2));
  deferred.Run();
  EXPECT_THAT(order, ElementsAre(1, 2));
}

}  // namespace
}  // namespace hyperpp::models
