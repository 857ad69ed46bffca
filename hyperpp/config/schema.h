// Every key of the configuration, with type, range, default and meaning: what users may write.
//
// One function per section; the tables are in schema_model.cc (what is trained and how),
// schema_parallel.cc (on which ranks) and schema_files.cc (from and to which files).
#pragma once

#include <vector>

#include "hyperpp/config/section_table.h"

namespace hyperpp::config {

/// All sections in the order of the reference; one inside another follows it.
std::vector<Section> Schema();

// The sections, for Schema.
Section ModelKeys();
Section TrainingKeys();
Section PrecisionKeys();
Section OptimizerKeys();
Section LrSchedulerKeys();
Section ActivationKeys();
Section MoeKeys();
Section MtpKeys();
Section IndexerKeys();

Section AcceleratorKeys();
Section PipelineKeys();
Section FsdpKeys();
Section ContextParallelKeys();

Section DataKeys();
Section EvaluationKeys();
Section EvaluationDataKeys();
Section CheckpointKeys();
Section OutputKeys();
Section TraceKeys();

}  // namespace hyperpp::config
