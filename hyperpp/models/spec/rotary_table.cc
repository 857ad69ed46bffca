#include "hyperpp/models/spec/rotary_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hyperpp/core/error.h"

namespace hyperpp::models {
namespace {

float Power(float base, float exponent) {
  return static_cast<float>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
}

// theta^(2i / dim), the period of each pair divided by 2 pi.
std::vector<float> Periods(double theta, int64_t dim) {
  std::vector<float> periods;
  for (int64_t i = 0; i < dim; i += 2)
    periods.push_back(
        Power(static_cast<float>(theta), static_cast<float>(i) / static_cast<float>(dim)));
  return periods;
}

std::vector<float> Frequencies(double theta, int64_t dim) {
  std::vector<float> frequencies = Periods(theta, dim);
  for (float& value : frequencies) value = 1.0F / value;
  return frequencies;
}

std::vector<float> Linear(const RopeSpec& rope, int64_t dim) {
  std::vector<float> frequencies = Frequencies(rope.theta, dim);
  for (float& value : frequencies) value /= static_cast<float>(rope.factor);
  return frequencies;
}

// NTK-aware scaling of theta by the ratio of the lengths.
std::vector<float> Dynamic(const RopeSpec& rope, int64_t dim, int64_t max_position_embeddings,
                           int64_t sequence_length) {
  if (sequence_length <= max_position_embeddings) return Frequencies(rope.theta, dim);
  const auto factor = static_cast<float>(rope.factor);
  const float ratio =
      factor * static_cast<float>(sequence_length) / static_cast<float>(max_position_embeddings);
  const double exponent = static_cast<double>(dim) / static_cast<double>(dim - 2);
  const float growth =
      Power(ratio - static_cast<float>(rope.factor - 1), static_cast<float>(exponent));
  return Frequencies(static_cast<float>(rope.theta) * growth, dim);
}

// Pair at which a sequence of the original length makes `rotations` turns.
double CorrectionPair(const RopeSpec& rope, int64_t dim, double rotations) {
  const auto length = static_cast<double>(rope.original_max_position_embeddings);
  return static_cast<double>(dim) * std::log(length / (rotations * 2 * std::numbers::pi)) /
         (2 * std::log(rope.theta));
}

std::vector<float> Yarn(const RopeSpec& rope, int64_t dim) {
  double low = CorrectionPair(rope, dim, rope.beta_fast);
  double high = CorrectionPair(rope, dim, rope.beta_slow);
  if (rope.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(dim - 1));
  if (low == high) high += 0.001;

  std::vector<float> frequencies = Periods(rope.theta, dim);
  for (size_t i = 0; i < frequencies.size(); ++i) {
    const float period = frequencies[i];
    const float ramp = std::clamp(
        (static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low), 0.0F,
        1.0F);
    const float keep = 1.0F - ramp;
    const float interpolated = 1.0F / (static_cast<float>(rope.factor) * period);
    const float extrapolated = 1.0F / period;
    frequencies[i] = interpolated * (1.0F - keep) + extrapolated * keep;
  }
  return frequencies;
}

double YarnMagnitude(double factor, double mscale) {
  return factor <= 1 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0;
}

double YarnAttentionScaling(const RopeSpec& rope) {
  if (rope.attention_factor) return *rope.attention_factor;
  const double mscale = rope.mscale.value_or(0);
  const double mscale_all_dim = rope.mscale_all_dim.value_or(0);
  if (mscale != 0 && mscale_all_dim != 0)
    return YarnMagnitude(rope.factor, mscale) / YarnMagnitude(rope.factor, mscale_all_dim);
  return YarnMagnitude(rope.factor, 1);
}

std::vector<float> Llama3(const RopeSpec& rope, int64_t dim) {
  const auto length = static_cast<double>(rope.original_max_position_embeddings);
  const auto low_wavelength = static_cast<float>(length / rope.low_freq_factor);
  const auto high_wavelength = static_cast<float>(length / rope.high_freq_factor);
  const auto factor = static_cast<float>(rope.factor);
  std::vector<float> frequencies = Frequencies(rope.theta, dim);
  for (float& value : frequencies) {
    const float wavelength = static_cast<float>(2 * std::numbers::pi) / value;
    if (wavelength > low_wavelength) {
      value /= factor;
    } else if (!(wavelength < high_wavelength)) {
      const float smooth =
          (static_cast<float>(length) / wavelength - static_cast<float>(rope.low_freq_factor)) /
          static_cast<float>(rope.high_freq_factor - rope.low_freq_factor);
      value = (1.0F - smooth) * value / factor + smooth * value;
    }
  }
  return frequencies;
}

}  // namespace

RotaryFrequencies ComputeRotaryFrequencies(const RopeSpec& rope, int64_t head_dim,
                                           int64_t max_position_embeddings,
                                           int64_t sequence_length) {
  const auto dim = static_cast<int64_t>(static_cast<double>(head_dim) * rope.partial_rotary_factor);
  HYPERPP_CHECK(dim > 0, "head_dim {} and partial_rotary_factor {} leave nothing to turn", head_dim,
                rope.partial_rotary_factor);
  std::vector<float> frequencies;
  RotaryFrequencies result;
  switch (rope.type) {
    case RopeSpec::Type::kDefault:
      frequencies = Frequencies(rope.theta, dim);
      break;
    case RopeSpec::Type::kLinear:
      frequencies = Linear(rope, dim);
      break;
    case RopeSpec::Type::kDynamic:
      frequencies = Dynamic(rope, dim, max_position_embeddings, sequence_length);
      break;
    case RopeSpec::Type::kYarn:
      frequencies = Yarn(rope, dim);
      result.attention_scaling = YarnAttentionScaling(rope);
      break;
    case RopeSpec::Type::kLlama3:
      frequencies = Llama3(rope, dim);
      break;
  }
  result.inv_freq.assign(frequencies.begin(), frequencies.end());
  return result;
}

RotaryFrequencies ComputeRotaryFrequencies(const DecoderSpec& spec, int64_t sequence_length) {
  return ComputeRotaryFrequencies(spec.rope, spec.head_dim, spec.max_position_embeddings,
                                  sequence_length);
}

}  // namespace hyperpp::models
