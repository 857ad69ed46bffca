// The folder of a run's checkpoints: which steps are there, complete, and which names belong to
// saves under way.
//
//     checkpoints/step_100/          complete: it has a manifest, which is written last
//     checkpoints/.saving_step_200/  being written, or left over from a save that was killed
//     checkpoints/.deleting_step_50/ being removed
//     checkpoints/.replaced_step_100/  see publish_folder.h
//
// Names with a dot never match step_*, so that nothing half-written is ever taken for a checkpoint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hyperpp::checkpoint {

struct StepFolder {
  int64_t step = 0;
  std::string path;
};

/// "step_N" and ".saving_step_N" below `directory`.
std::string StepFolderPath(const std::string& directory, int64_t step);
std::string SavingFolderPath(const std::string& directory, int64_t step);

/// Complete checkpoints below `directory`, ascending; empty if the folder does not exist.
/// Errors: IoError.
std::vector<StepFolder> FindCheckpoints(const std::string& directory);

/// The one of the highest step, or nothing.
std::optional<StepFolder> NewestCheckpoint(const std::string& directory);

/// The complete checkpoint with the next lower step beside the step folder `path`, or nothing.
std::optional<StepFolder> CheckpointBefore(const std::string& path);

/// The step folder that `directory` means: itself, or the newest one below it.
/// Errors: InputError saying what is there instead.
std::string ResolveResume(const std::string& directory);

/// Removes what interrupted saves and removals left behind. No save may be under way.
void CleanLeftovers(const std::string& directory);

/// Removes old checkpoints until `keep` with a step up to `step` are left, the one of `step` among
/// them; 0 keeps all. Later steps are another resumption's, and stay.
/// REQUIRES: the checkpoint of `step` is complete and durable.
void RemoveOldCheckpoints(const std::string& directory, int64_t step, int64_t keep);

}  // namespace hyperpp::checkpoint
