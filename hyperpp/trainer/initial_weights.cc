#include "hyperpp/trainer/initial_weights.h"

#include <algorithm>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/util/accumulate.h>

#include "hyperpp/checkpoint/hf_export.h"
#include "hyperpp/checkpoint/hf_weights.h"
#include "hyperpp/core/error.h"
#include "hyperpp/models/random_init.h"
#include "hyperpp/models/spec/initialization.h"
#include "hyperpp/trainer/owned_boxes.h"

namespace hyperpp::trainer {
namespace {

// Draws the elements of `box`, each by its index in the full tensor.
void FillNormalBox(const OwnedBox& box, const models::Weight& weight, uint64_t seed,
                   double deviation) {
  at::Tensor host = at::empty(box.values.sizes(), at::kFloat);
  const std::vector<int64_t>& full = weight.full_shape();
  // Dims from `inner` on are one run of consecutive elements of the full tensor.
  std::size_t inner = full.size() - 1;
  while (inner > 0 && host.sizes()[inner] == full[inner]) --inner;
  const at::Tensor runs = host.view({-1, c10::multiply_integers(host.sizes().slice(inner))});
  std::vector<int64_t> index(full.size(), 0);  // where the run starts, within the box
  for (int64_t run = 0; run < runs.size(0); ++run) {
    int64_t first = 0;
    for (std::size_t d = 0; d < full.size(); ++d)
      first = first * full[d] + box.offsets[d] + index[d];
    models::FillNormal(runs[run], weight.fqn(), seed, first, deviation);
    for (std::size_t d = inner; d-- > 0;) {
      if (++index[d] < host.sizes()[d]) break;
      index[d] = 0;
    }
  }
  at::Tensor(box.values).copy_(host);
}

// transformers starts the padding token's row of an embedding at zero.
void ZeroRow(const OwnedBox& box, int64_t row) {
  const int64_t local = row - box.offsets.front();
  if (local >= 0 && local < box.values.size(0)) box.values[local].zero_();
}

}  // namespace

void LoadPretrained(BuiltModel& model, const std::string& directory) {
  const at::NoGradGuard no_grad;
  const checkpoint::HfWeights files(directory);
  files.Check(model.decoder->spec().Outline());
  for (models::Weight* weight : model.store->weights()) {
    for (const OwnedBox& box : OwnedBoxes(*weight, weight->parameter()))
      files.CopySlice(weight->fqn(), box.offsets, box.values);
  }
  for (const std::string& name : files.Names()) model.export_dtypes[name] = files.Dtype(name);
  model.store->CastParameters();
}

void InitialiseRandom(BuiltModel& model, uint64_t seed) {
  const at::NoGradGuard no_grad;
  const models::DecoderSpec& spec = model.decoder->spec();
  const ModelOutline outline = spec.Outline();
  const at::ScalarType dtype = checkpoint::ConfigDtype(spec.source);
  for (const ParameterOutline& parameter : outline.parameters)
    model.export_dtypes[parameter.fqn] = dtype;
  for (models::Weight* weight : model.store->weights()) {
    const auto parameter = std::find_if(outline.parameters.begin(), outline.parameters.end(),
                                        [&](const auto& p) { return p.fqn == weight->fqn(); });
    for (const OwnedBox& box : OwnedBoxes(*weight, weight->parameter())) {
      switch (models::InitOf(*parameter)) {
        case models::InitKind::kOnes:
          at::Tensor(box.values).fill_(1);
          break;
        case models::InitKind::kZeros:
          at::Tensor(box.values).zero_();
          break;
        case models::InitKind::kNormal:
          FillNormalBox(box, *weight, seed, spec.initializer_range);
          break;
      }
      if (spec.pad_token_id && weight->fqn() == outline.parameters.front().fqn)
        ZeroRow(box, *spec.pad_token_id);
    }
  }
  model.store->CastParameters();
}

void LoadInitialWeights(BuiltModel& model, const RunInputs& inputs) {
  if (inputs.pretrained) return LoadPretrained(model, inputs.config.model.path);
  InitialiseRandom(model, static_cast<uint64_t>(inputs.config.training.seed));
}

}  // namespace hyperpp::trainer
