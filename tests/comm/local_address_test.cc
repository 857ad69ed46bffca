#include "hyperpp/comm/local_address.h"

#include <gtest/gtest.h>

#include "hyperpp/core/error.h"

namespace hyperpp::comm {
namespace {

RankIdentity Identity(int local_world_size, int world_size) {
  RankIdentity identity;
  identity.local_world_size = local_world_size;
  identity.world_size = world_size;
  return identity;
}

TEST(LocalAddress, JobOfOneHostStaysOnLoopback) {
  EXPECT_EQ(LocalAddress(Identity(4, 4)), "127.0.0.1");
}

TEST(LocalAddress, NamedInterfaceIsUsedBetweenHosts) {
  RankIdentity identity = Identity(2, 4);
  identity.network_interface = "lo";
  EXPECT_EQ(LocalAddress(identity), "127.0.0.1");
}

TEST(LocalAddress, UnknownInterfaceIsRefused) {
  RankIdentity identity = Identity(2, 4);
  identity.network_interface = "nosuch0";
  EXPECT_THROW(LocalAddress(identity), ConfigError);
}

TEST(LocalAddress, LoopbackIsNoAddressBetweenHosts) {
  try {
    EXPECT_NE(LocalAddress(Identity(2, 4)).substr(0, 4), "127.");
  } catch (const CommError&) {  // this host has no other address
  }
}

}  // namespace
}  // namespace hyperpp::comm
