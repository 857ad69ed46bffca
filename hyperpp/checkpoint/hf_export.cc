#include "hyperpp/checkpoint/hf_export.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "hyperpp/checkpoint/companion_files.h"
#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/publish_folder.h"
#include "hyperpp/checkpoint/safetensors_writer.h"
#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// One file of the model, and what goes into it.
struct PlannedFile {
  std::string name;
  std::vector<const ParameterOutline*> parameters;
};

at::ScalarType DtypeOf(const HfExport& model, const ParameterOutline& parameter) {
  const auto found = model.dtypes.find(parameter.fqn);
  return found == model.dtypes.end() ? model.default_dtype : found->second;
}

int64_t NumBytes(const HfExport& model, const ParameterOutline& parameter) {
  return parameter.NumElements() *
         static_cast<int64_t>(c10::elementSize(DtypeOf(model, parameter)));
}

/// Fills files up to the size limit, in order of the model; a larger tensor gets its own file.
std::vector<PlannedFile> PlanFiles(const HfExport& model) {
  std::vector<PlannedFile> files(1);
  int64_t bytes = 0;
  for (const ParameterOutline& parameter : model.outline.parameters) {
    const int64_t more = NumBytes(model, parameter);
    if (!files.back().parameters.empty() && bytes + more > model.max_shard_bytes) {
      files.emplace_back();
      bytes = 0;
    }
    files.back().parameters.push_back(&parameter);
    bytes += more;
  }
  for (size_t i = 0; i < files.size(); ++i) {
    files[i].name = files.size() == 1
                        ? "model.safetensors"
                        : fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, files.size());
    // The format has no gaps: wider types go first, so that every tensor is aligned.
    std::stable_sort(files[i].parameters.begin(), files[i].parameters.end(),
                     [&](const ParameterOutline* a, const ParameterOutline* b) {
                       return c10::elementSize(DtypeOf(model, *a)) >
                              c10::elementSize(DtypeOf(model, *b));
                     });
  }
  return files;
}

void WriteIndex(const HfExport& model, const std::vector<PlannedFile>& files,
                const fs::path& folder) {
  int64_t total_bytes = 0, total_elements = 0;
  json weight_map = json::object();
  for (const PlannedFile& file : files) {
    for (const ParameterOutline* parameter : file.parameters) {
      total_bytes += NumBytes(model, *parameter);
      total_elements += parameter->NumElements();
      weight_map[parameter->fqn] = file.name;
    }
  }
  const json index = {
      {"metadata", {{"total_size", total_bytes}, {"total_parameters", total_elements}}},
      {"weight_map", std::move(weight_map)}};
  WriteFileDurably((folder / "model.safetensors.index.json").string(), index.dump(2) + "\n");
}

/// Writes the files into `folder` while tensors come in; remembers the first error.
class Writer {
 public:
  Writer(const HfExport& model, fs::path folder) : model_(model), folder_(std::move(folder)) {}
  /// Removes what was written, unless it was published.
  ~Writer() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void Run(const std::vector<PlannedFile>& files) {
    Try([&] { Prepare(); });
    for (const PlannedFile& file : files) {
      std::unique_ptr<SafetensorsWriter> writer;
      Try([&] { writer = Open(file); });
      for (const ParameterOutline* parameter : file.parameters) {
        const at::Tensor tensor = model_.tensor(*parameter);
        Try([&] { writer->Append(tensor.detach().to(DtypeOf(model_, *parameter))); });
      }
      Try([&] { writer->Finish(); });
    }
    Try([&] {
      if (files.size() > 1) WriteIndex(model_, files, folder_);
      CopyCompanions();
      PublishFolder(folder_.string(), model_.directory);
    });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  template <typename Action>
  void Try(const Action& action) {
    if (error_) return;
    try {
      action();
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  void Prepare() {
    CheckExportTarget(model_.directory);
    RemoveFolder(folder_.string());
    MakeFolder(folder_.string());
    WriteFileDurably((folder_ / "config.json").string(), model_.config.dump(2) + "\n");
  }

  std::unique_ptr<SafetensorsWriter> Open(const PlannedFile& file) const {
    std::vector<SafetensorsSpec> specs;
    for (const ParameterOutline* parameter : file.parameters)
      specs.push_back({parameter->fqn, DtypeOf(model_, *parameter), parameter->shape});
    const std::map<std::string, std::string> metadata = {{"format", "pt"}};
    return std::make_unique<SafetensorsWriter>((folder_ / file.name).string(), std::move(specs),
                                               metadata);
  }

  void CopyCompanions() const {
    if (model_.source_directory.empty()) return;
    for (const std::string& name : CompanionFiles(model_.source_directory))
      WriteFileDurably((folder_ / name).string(),
                       ReadWholeFile((fs::path(model_.source_directory) / name).string()));
  }

  const HfExport& model_;
  fs::path folder_;
  std::exception_ptr error_;
};

bool IsModelFile(const std::string& name) {
  return name == "config.json" || name == "model.safetensors.index.json" || name == "README.md" ||
         name == ".gitattributes" || IsCompanionFile(name) ||
         (name.starts_with("model") && name.ends_with(".safetensors"));
}

}  // namespace

void CheckExportTarget(const std::string& directory) {
  std::error_code error;
  if (!fs::exists(directory, error)) return;
  if (!fs::is_directory(directory)) FailIo(directory, "make the folder", EEXIST);
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (!IsModelFile(name) || entry.is_directory())
      throw ConfigError(
          fmt::format("{}: holds {}, which an export would remove; choose another "
                      "folder, or empty this one",
                      directory, name));
  }
}

void WriteHfModel(const HfExport& model) {
  HfExport normal = model;
  const fs::path target = fs::absolute(model.directory).lexically_normal();
  normal.directory = (target.has_filename() ? target : target.parent_path()).string();
  const std::vector<PlannedFile> files = PlanFiles(normal);
  if (!normal.is_writer) {
    for (const PlannedFile& file : files)
      for (const ParameterOutline* parameter : file.parameters) normal.tensor(*parameter);
    return;
  }
  const fs::path place(normal.directory);
  Writer(normal, place.parent_path() / (".saving_" + place.filename().string())).Run(files);
}

at::ScalarType ConfigDtype(const json& config) {
  const json* name = nullptr;
  for (const char* key : {"torch_dtype", "dtype"})
    if (config.contains(key) && !config[key].is_null()) name = &config[key];
  if (name == nullptr || *name == "float32") return at::kFloat;
  if (*name == "bfloat16") return at::kBFloat16;
  if (*name == "float16") return at::kHalf;
  throw InputError(fmt::format(
      "config.json: dtype is {}, supported are float32, bfloat16 and float16", name->dump()));
}

}  // namespace hyperpp::checkpoint
