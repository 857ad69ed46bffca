// Gives a finished folder its final name in one step, so that readers see the old contents or the
// new ones and never a mixture.
//
// A name that is free is taken with rename(2). A name in use is swapped with RENAME_EXCHANGE of
// renameat2(2), after which the old contents are removed. File systems without it (some network
// ones) need two renames; a kill between them leaves the old folder as `.replaced_NAME`, which
// readers may take for NAME while NAME is missing.
#pragma once

#include <string>

namespace hyperpp::checkpoint {

/// Path of the old contents of `path` while they are being replaced without RENAME_EXCHANGE.
std::string ReplacedName(const std::string& path);

/// Moves the folder `temporary` to `path`, replacing a folder of that name; both have the same
/// parent.
/// REQUIRES: the files in `temporary` are durable (DurableFile).
/// Errors: IoError.
void PublishFolder(const std::string& temporary, const std::string& path);

/// The second way of PublishFolder, for file systems without RENAME_EXCHANGE.
void PublishFolderByTwoRenames(const std::string& temporary, const std::string& path);

}  // namespace hyperpp::checkpoint
