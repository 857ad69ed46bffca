// A part of a module: some of its submodules, under the names that they have in the whole.
//
//     whole                        part {"model.layers.2", "model.norm"}
//       model                        model
//         embed_tokens                 layers
//         layers                         2        the same object as in the whole
//           0 1 2                      norm
//         norm
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <torch/nn/module.h>

namespace hyperpp::pipeline {

/// Returns a module with the submodules of `whole` named `names` (FQNs), which both then share.
/// Errors: PlanError for a name that `whole` does not have.
std::shared_ptr<torch::nn::Module> MakeModulePart(torch::nn::Module& whole,
                                                  const std::vector<std::string>& names);

}  // namespace hyperpp::pipeline
