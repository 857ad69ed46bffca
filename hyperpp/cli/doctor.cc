// hyperpp doctor [--json]: what this machine and this build can do, and whether ranks can talk.
#include <chrono>
#include <memory>
#include <string>

#include <ATen/ops/full.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <torch/version.h>
#include <unistd.h>

#include "hyperpp/cli/command.h"
#include "hyperpp/comm/nccl_backend.h"
#include "hyperpp/comm/world.h"
#include "hyperpp/core/error.h"
#include "hyperpp/kernels/cpu_features.h"
#include "hyperpp/launch/launcher.h"
#include "hyperpp/trainer/gpu.h"

namespace hyperpp::cli {
namespace {

constexpr int kSelfTestRanks = 2;

// One rank of the self-test: a sum over all ranks that has only one right answer.
int SelfTestRank() {
  const auto identity = launch::IdentityFromEnvironment();
  if (!identity)
    throw ConfigError("doctor --self-test-rank: no rank variables; run hyperpp doctor instead");
  comm::WorldOptions options;
  options.timeout = options.rendezvous_timeout = std::chrono::seconds(30);
  const auto world =
      comm::World::Join(*identity, MeshLayout({1, identity->world_size, 1, 1, 1}), options);
  at::Tensor sum = at::full({1 << 16}, world->rank() + 1.0);
  world->Control().AllReduce(sum)->Wait();
  const double expected = 0.5 * identity->world_size * (identity->world_size + 1);
  if (!sum.eq(expected).all().item<bool>())
    throw CommError(fmt::format("doctor: all_reduce over {} ranks gave {}, expected {}",
                                identity->world_size, sum[0].item<double>(), expected));
  return 0;
}

int Examine(bool json) {
  const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const bool passed =
      launch::LaunchLocalRanks({"hyperpp", "doctor", "--self-test-rank"}, kSelfTestRanks) == 0;
  std::vector<std::string> backends = {"gloo"}, gpu_names;
  if (comm::HasNccl()) backends.push_back("nccl");
  const int gpus = trainer::NumVisibleGpus();
  for (int i = 0; i < gpus; ++i) gpu_names.push_back(trainer::DescribeGpu(i).name);
  const bool bfloat16 = gpus > 0 ? trainer::ComputesBfloat16Fast(trainer::DescribeGpu(0))
                                 : kernels::HasFastBfloat16();
  const nlohmann::json report = {{"libtorch", TORCH_VERSION},
                                 {"cores", cores},
                                 {"cpu_features", kernels::CpuFeatureNames()},
                                 {"auto_compute_dtype", bfloat16 ? "bfloat16" : "float32"},
                                 {"gpus", gpus},
                                 {"gpu_names", gpu_names},
                                 {"backends", backends},
                                 {"collective_self_test", passed ? "passed" : "failed"}};
  if (json) {
    fmt::print("{}\n", report.dump());
  } else {
    for (const auto& [key, value] : report.items())
      fmt::print("{:<22}{}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return static_cast<int>(passed ? ExitStatus::kDone : ExitStatus::kMachine);
}

}  // namespace

void AddDoctor(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  auto rank = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", "Check libtorch, devices and communication");
  command->add_flag("--json", *json, "Print one JSON object");
  command->add_flag("--self-test-rank", *rank)->group("");  // started by the command itself
  command->callback(
      [=, &action] { action = [=] { return *rank ? SelfTestRank() : Examine(*json); }; });
}

}  // namespace hyperpp::cli
