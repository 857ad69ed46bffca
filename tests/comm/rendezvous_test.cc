#include "hyperpp/comm/rendezvous.h"

#include <chrono>

#include <gmock/gmock.h>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <unistd.h>

#include "hyperpp/comm/world.h"
#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"
#include "tests/support/ranks.h"

namespace hyperpp::comm {
namespace {

using std::chrono::milliseconds;
using test::ErrorText;
using test::RunRankProcesses;
using testing::AllOf;
using testing::HasSubstr;

TEST(Rendezvous, MissingRanksAreNamedOnAllThatCame) {
  RunRankProcesses(2, [](RankIdentity identity) {
    identity.world_size = 4;
    const std::string text = ErrorText<CommError>([&] { Meet(identity, milliseconds(500)); });
    EXPECT_THAT(text, AllOf(HasSubstr("2 of 4 ranks joined (ranks 0,1)"),
                            HasSubstr("ranks 2,3 did not within 0.5 s"),
                            HasSubstr(std::to_string(identity.master_port))));
  });
}

TEST(Rendezvous, DuplicateRankEndsAllThatWait) {
  RunRankProcesses(3, [](RankIdentity identity) {
    if (identity.rank == 2) {
      usleep(200000);
      identity.rank = 1;
    }
    identity.world_size = 4;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(ErrorText<ConfigError>([&] { Meet(identity, milliseconds(8000)); }),
                HasSubstr("two processes joined as rank 1 of 4"));
    EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(4000));
  });
}

TEST(Rendezvous, DifferentWorldSizesAreRefused) {
  RunRankProcesses(2, [](RankIdentity identity) {
    if (identity.rank == 1) usleep(200000);
    identity.world_size = identity.rank == 0 ? 4 : 2;
    EXPECT_THAT(ErrorText<ConfigError>([&] { Meet(identity, milliseconds(8000)); }),
                HasSubstr("rank 1 was started with world size 2, others with 4"));
  });
}

TEST(Rendezvous, BusyPortIsNamed) {
  RunRankProcesses(1, [](RankIdentity identity) {
    identity.listen_descriptor = -1;  // the port is taken by the descriptor, which stays open
    identity.world_size = 2;
    EXPECT_THAT(ErrorText<CommError>([&] { Meet(identity, milliseconds(500)); }),
                AllOf(HasSubstr(std::to_string(identity.master_port)), HasSubstr("is in use")));
  });
}

TEST(Rendezvous, AbsentMasterIsNamed) {
  RunRankProcesses(2, [](RankIdentity identity) {
    if (identity.rank == 0) return;
    usleep(200000);  // by then rank 0 and its socket are gone
    EXPECT_THAT(ErrorText<CommError>([&] { Meet(identity, milliseconds(500)); }),
                AllOf(HasSubstr(std::to_string(identity.master_port)),
                      HasSubstr("no store answers within 0.5 s: connection refused")));
  });
}

TEST(Rendezvous, HostedStoreIsUsedByAllRanks) {
  RunRankProcesses(3, [](RankIdentity identity) {
    // Process 0 plays torchrun, the others are the ranks of its second attempt.
    if (identity.rank == 0) {
      c10d::TCPStoreOptions options;
      options.port = static_cast<std::uint16_t>(identity.master_port);
      options.isServer = true;
      options.waitWorkers = false;
      options.masterListenFd = identity.listen_descriptor;
      const auto store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
      store->add("hyperpp/0/join/0", 1);  // left by the first attempt
      store->add("hyperpp/0/present", 1);
      store->wait({"done"}, milliseconds(8000));
      return;
    }
    identity.rank -= 1;
    identity.world_size = identity.local_world_size = 2;
    identity.store_is_hosted = true;
    identity.attempt = 1;
    const auto store = Meet(identity, milliseconds(8000));
    if (store->add("met", 1) == 2) {
      c10d::TCPStoreOptions options;
      options.port = static_cast<std::uint16_t>(identity.master_port);
      options.waitWorkers = false;
      c10d::TCPStore("127.0.0.1", options).add("done", 1);
    }
  });
}

}  // namespace
}  // namespace hyperpp::comm
