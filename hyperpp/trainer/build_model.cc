#include "hyperpp/trainer/build_model.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "hyperpp/checkpoint/hf_weights.h"
#include "hyperpp/core/error.h"
#include "hyperpp/models/random_init.h"
#include "hyperpp/models/spec/initialization.h"

namespace hyperpp::trainer {
namespace {

// The module and the family's outline are two accounts of the same model; names and shapes must
// agree.
void CheckAgainstOutline(const std::vector<models::Weight*>& weights, const ModelOutline& outline) {
  HYPERPP_CHECK_EQ(weights.size(), outline.parameters.size(), "parameters of the model");
  for (const ParameterOutline& parameter : outline.parameters) {
    const auto found = std::find_if(weights.begin(), weights.end(), [&](const auto* weight) {
      return weight->fqn() == parameter.fqn;
    });
    HYPERPP_CHECK(found != weights.end(), "parameter {}", parameter.fqn);
    HYPERPP_CHECK((*found)->parameter().sizes() == at::IntArrayRef(parameter.shape), "shape of {}",
                  parameter.fqn);
  }
}

}  // namespace

BuiltModel MaterialiseModel(const models::DecoderSpec& spec, const std::set<std::string>& trainable,
                            at::Device device, at::ScalarType compute_dtype, bool with_gradients) {
  BuiltModel model;
  model.decoder = std::make_shared<models::Decoder>(spec);
  const std::vector<models::Weight*> weights = models::CollectWeights(*model.decoder);
  CheckAgainstOutline(weights, spec.Outline());
  for (models::Weight* weight : weights) weight->set_trainable(trainable.contains(weight->fqn()));
  model.store =
      std::make_unique<models::ParameterStore>(weights, device, compute_dtype, with_gradients);
  return model;
}

void LoadPretrained(BuiltModel& model, const std::string& directory) {
  const at::NoGradGuard no_grad;
  const checkpoint::HfWeights files(directory);
  files.Check(model.decoder->spec().Outline());
  for (models::Weight* weight : model.store->weights()) {
    at::Tensor out = weight->parameter().detach();
    files.CopySlice(weight->fqn(), std::vector<int64_t>(out.dim(), 0), out);
  }
  model.store->CastParameters();
}

void InitialiseRandom(BuiltModel& model, uint64_t seed) {
  const at::NoGradGuard no_grad;
  const models::DecoderSpec& spec = model.decoder->spec();
  const ModelOutline outline = spec.Outline();
  for (models::Weight* weight : model.store->weights()) {
    const auto parameter = std::find_if(outline.parameters.begin(), outline.parameters.end(),
                                        [&](const auto& p) { return p.fqn == weight->fqn(); });
    at::Tensor value = weight->parameter().detach();
    switch (models::InitOf(*parameter)) {
      case models::InitKind::kOnes:
        value.fill_(1);
        break;
      case models::InitKind::kZeros:
        value.zero_();
        break;
      case models::InitKind::kNormal: {
        at::Tensor host = at::empty(value.sizes(), at::kFloat);
        models::FillNormal(value.is_cpu() ? value : host, weight->fqn(), seed, 0,
                           spec.initializer_range);
        if (!value.is_cpu()) value.copy_(host);
        break;
      }
    }
  }
  if (spec.pad_token_id) model.decoder->ZeroPaddingRow();
  model.store->CastParameters();
}

void LoadInitialWeights(BuiltModel& model, const RunInputs& inputs) {
  if (inputs.pretrained) return LoadPretrained(model, inputs.config.model.path);
  InitialiseRandom(model, static_cast<uint64_t>(inputs.config.training.seed));
}

}  // namespace hyperpp::trainer
