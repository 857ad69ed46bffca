#include "hyperpp/config/read.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "hyperpp/config/suggest.h"

namespace hyperpp::config {
namespace {

class Reader {
 public:
  Reader(const std::vector<Section>& schema, Config& config, Problems& problems)
      : schema_(schema), config_(config), problems_(problems) {}

  void ReadRoot(const Value& root) {
    for (size_t i = 0; i < root.keys.size(); ++i) {
      if (const Section* section = FindSection(root.keys[i])) {
        ReadSection(*section, root.items[i]);
      } else {
        problems_.Add(root.items[i].where, root.keys[i],
                      "unknown section; " + SuggestSection(schema_, root.keys[i]));
      }
    }
    for (const Section& section : schema_) CheckRequired(section);
  }

 private:
  const Section* FindSection(const std::string& name) const {
    for (const Section& section : schema_) {
      if (section.name == name) return &section;
    }
    return nullptr;
  }

  void ReadSection(const Section& section, const Value& value) {
    config_.locations.Set(section.name, value.where);
    if (value.kind == Value::Kind::kNull) return;
    if (value.kind != Value::Kind::kMap) {
      problems_.Add(value.where, section.name,
                    fmt::format("{} is not a map; write its keys below it", value.Show()));
      unreadable_.insert(section.name);
      return;
    }
    section.create(config_);
    for (size_t i = 0; i < value.keys.size(); ++i) {
      ReadKey(section, value.keys[i], value.items[i]);
    }
  }

  void ReadKey(const Section& section, const std::string& name, const Value& value) {
    const std::string path = section.name + "." + name;
    if (const Section* inner = FindSection(path)) {
      ReadSection(*inner, value);
      return;
    }
    const Key* key = section.Find(name);
    if (key == nullptr) {
      problems_.Add(value.where, path, "unknown key; " + SuggestKey(schema_, section.name, name));
      return;
    }
    if (value.kind == Value::Kind::kNull) return;  // as if it were not written
    written_.insert(path);
    config_.locations.Set(path, value.where);
    if (const Complaint complaint = key->read(value, config_)) {
      problems_.Add(value.where, path, *complaint);
    }
  }

  void CheckRequired(const Section& section) {
    if (!section.exists(config_) || unreadable_.contains(section.name)) return;
    for (const Key& key : section.keys) {
      const std::string path = section.name + "." + key.name;
      if (!key.required || written_.contains(path)) continue;
      problems_.Add(config_.locations.At(path), path,
                    fmt::format("missing; it has no default, give {}", key.type));
    }
  }

  const std::vector<Section>& schema_;
  Config& config_;
  Problems& problems_;
  std::set<std::string> written_;
  std::set<std::string> unreadable_;
};

}  // namespace

void ReadDocument(const std::vector<Section>& schema, const Value& root, Config& config,
                  Problems& problems) {
  config.locations = KeyLocations(Location{.source = root.where.source});
  Reader(schema, config, problems).ReadRoot(root);
}

}  // namespace hyperpp::config
