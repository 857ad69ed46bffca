#include "hyperpp/trainer/metrics_log.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::trainer {
namespace {

class MetricsLogTest : public ::testing::Test {
 protected:
  std::string Content() const { return test::FileText(path_); }

  const test::TemporaryFolder folder_;
  const std::string path_ = folder_ / "metrics.jsonl";
};

TEST_F(MetricsLogTest, WritesOneLinePerRecord) {
  MetricsLog log(path_, 0);
  log.Write({{"step", 1}, {"loss", 0.1}});
  log.Write({{"step", 2}, {"loss", FiniteOrNull(std::nan(""))}});
  EXPECT_EQ(Content(), "{\"loss\":0.1,\"step\":1}\n{\"loss\":null,\"step\":2}\n");
}

TEST_F(MetricsLogTest, ResumeDropsRecordsAfterTheLoadedStep) {
  {
    MetricsLog log(path_, 0);
    for (int step = 1; step <= 5; ++step) log.Write({{"step", step}});
  }
  MetricsLog log(path_, 3);
  log.Write({{"step", 4}});
  EXPECT_EQ(Content(), "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n{\"step\":4}\n");
}

TEST_F(MetricsLogTest, TornLastLineIsDropped) {
  folder_.Write("metrics.jsonl", "{\"step\":1}\n{\"step\":2,\"lo");
  MetricsLog log(path_, 2);
  EXPECT_EQ(Content(), "{\"step\":1}\n");
}

TEST_F(MetricsLogTest, FreshRunReplacesTheFile) {
  folder_.Write("metrics.jsonl", "{\"step\":1}\n");
  MetricsLog log(path_, 0);
  EXPECT_EQ(Content(), "");
}

TEST_F(MetricsLogTest, FolderThatIsMissingIsReported) {
  EXPECT_THROW(MetricsLog("/no/such/folder/metrics.jsonl", 0), IoError);
}

}  // namespace
}  // namespace hyperpp::trainer
