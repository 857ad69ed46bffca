#include "hyperpp/plan/mesh.h"

#include <limits>

#include <fmt/format.h>

namespace hyperpp::plan {
namespace {

// Product of the degrees without dp_shard_size, in floating point: it may be absurdly large.
double FixedRanks(const config::AcceleratorSection& a) {
  return static_cast<double>(a.pp_size) * static_cast<double>(a.tp_size) *
         static_cast<double>(a.cp_size) * static_cast<double>(a.dp_replicate_size);
}

std::string ShowProduct(const config::AcceleratorSection& a) {
  return fmt::format(
      "pp_size {} * tp_size {} * cp_size {} * dp_shard_size {} * dp_replicate_size {}", a.pp_size,
      a.tp_size, a.cp_size, a.dp_shard_size, a.dp_replicate_size);
}

}  // namespace

std::optional<int64_t> WorldSizeOf(const config::Config& config) {
  const config::AcceleratorSection& a = config.accelerator;
  if (a.dp_shard_size < 0) return std::nullopt;
  const double ranks = FixedRanks(a) * static_cast<double>(a.dp_shard_size);
  constexpr int64_t kTooMany = std::numeric_limits<int>::max();
  return ranks < static_cast<double>(kTooMany) ? static_cast<int64_t>(ranks) : kTooMany;
}

std::optional<MeshLayout> MakeMesh(const config::Config& config, int world_size,
                                   Refusals& refusals) {
  const config::AcceleratorSection& a = config.accelerator;
  int64_t shard = a.dp_shard_size;
  if (shard < 0) {
    const double fixed = FixedRanks(a);
    if (fixed > world_size || world_size % static_cast<int>(fixed) != 0) {
      refusals.Add(
          "accelerator.dp_shard_size",
          fmt::format("-1, but {} ranks do not divide by pp_size {} * tp_size {} * "
                      "cp_size {} * dp_replicate_size {} = {:.0f}; change one of them",
                      world_size, a.pp_size, a.tp_size, a.cp_size, a.dp_replicate_size, fixed));
      return std::nullopt;
    }
    shard = world_size / static_cast<int>(fixed);
  } else if (WorldSizeOf(config) != world_size) {
    refusals.Add(
        "accelerator",
        fmt::format("{} = {:.0f}, but the job has {} ranks; change a size or the number "
                    "of ranks",
                    ShowProduct(a), FixedRanks(a) * static_cast<double>(shard), world_size));
    return std::nullopt;
  }
  const int64_t block = shard * a.cp_size * a.tp_size;
  if (block % a.ep_size != 0) {
    refusals.Add("accelerator.ep_size",
                 fmt::format("{} does not divide dp_shard_size {} * cp_size {} * tp_size {} = {}; "
                             "use a divisor of {}",
                             a.ep_size, shard, a.cp_size, a.tp_size, block, block));
    return std::nullopt;
  }
  const auto degree = [](int64_t size) { return static_cast<int>(size); };
  return MeshLayout({degree(a.pp_size), degree(a.dp_replicate_size), degree(shard),
                     degree(a.cp_size), degree(a.tp_size)},
                    degree(a.ep_size));
}

}  // namespace hyperpp::plan
