#include "hyperpp/models/spec/initialization.h"

namespace hyperpp::models {

InitKind InitOf(const ParameterOutline& parameter) {
  if (parameter.fqn.ends_with(".bias")) return InitKind::kZeros;
  // Norm gains are the only weights with one dim: input_layernorm, q_norm, model.norm.
  return parameter.shape.size() == 1 ? InitKind::kOnes : InitKind::kNormal;
}

}  // namespace hyperpp::models
