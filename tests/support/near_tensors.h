// Equality of tensors up to rounding, relative to the largest element: sums in another order.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace hyperpp::test {

/// Succeeds if no element differs by more than `relative` of the largest expected one.
inline testing::AssertionResult NearTensors(const at::Tensor& actual, const at::Tensor& expected,
                                            double relative = 1e-5) {
  if (!actual.defined() || !expected.defined())
    return actual.defined() == expected.defined()
               ? testing::AssertionSuccess()
               : testing::AssertionFailure() << "only one of the tensors is defined";
  if (actual.sizes() != expected.sizes())
    return testing::AssertionFailure() << actual.sizes() << " instead of " << expected.sizes();
  const double largest = expected.detach().abs().max().item<double>();
  const double difference = (actual.detach() - expected.detach()).abs().max().item<double>();
  if (difference <= relative * largest + 1e-9) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "differs by " << difference << ", where the largest element is " << largest;
}

}  // namespace hyperpp::test
