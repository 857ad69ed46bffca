#include "hyperpp/comm/error_kind.h"

#include <new>
#include <stdexcept>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/comm/shared_cause.h"

namespace hyperpp::comm {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ErrorKind, OwnKindsAreThrownAgain) {
  EXPECT_EQ(ErrorKind(InputError("x")), "InputError");
  EXPECT_THROW(ThrowShared("InputError", "x", 3), InputError);
  EXPECT_THROW(ThrowShared("CommError", "x", 3), CommError);
  try {
    ThrowShared("PlanError", "no layers", 3);
  } catch (const SharedCause& cause) {
    EXPECT_EQ(cause.speaker(), 3);
  }
}

TEST(ErrorKind, SharedErrorsKeepTheirKind) {
  EXPECT_EQ(ErrorKind(Shared<IoError>("x", 0)), "IoError");
}

TEST(ErrorKind, ForeignErrorsAreDefectsOrTheMachine) {
  EXPECT_EQ(ErrorKind(std::logic_error("x")), "InternalError");
  EXPECT_EQ(ErrorKind(std::bad_alloc()), "IoError");
  EXPECT_EQ(ErrorText(std::bad_alloc()), "not enough memory");
}

TEST(ErrorKind, MemoryThatLibtorchCannotGetIsTheMachines) {
  try {
    at::empty({int64_t{1} << 55}, at::kByte);
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_EQ(ErrorStatus(error), ExitStatus::kMachine);
    EXPECT_THAT(ErrorText(error), HasSubstr("memory: you tried to allocate"));
    EXPECT_THAT(ErrorText(error), Not(HasSubstr("frame #")));
  }
}

}  // namespace
}  // namespace hyperpp::comm
