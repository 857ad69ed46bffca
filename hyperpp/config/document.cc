#include "hyperpp/config/document.h"

#include <algorithm>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "hyperpp/config/scalar.h"

namespace hyperpp::config {
namespace {

// Deeper than any configuration, and what stops an alias that holds itself.
constexpr int kMaxDepth = 32;
// Values of one document; what stops aliases that multiply (ten levels of ten).
constexpr int kMaxValues = 200000;

// Turns yaml-cpp's nodes into Values.
class Converter {
 public:
  Converter(Location file, Problems& problems) : file_(std::move(file)), problems_(problems) {}

  Value Convert(const YAML::Node& node, const std::string& path, int depth) {
    Value value;
    value.where = Place(node.Mark());
    if (depth > kMaxDepth || ++num_values_ > kMaxValues) {
      throw YAML::ParserException(node.Mark(), "values are nested too deeply or too many");
    }
    if (node.IsScalar()) {
      value.kind = Value::Kind::kScalar;
      value.text = node.Scalar();
      value.quoted = node.Tag() != "?" && !node.Tag().empty();
      if (!value.quoted && IsNullText(value.text)) value.kind = Value::Kind::kNull;
    } else if (node.IsSequence()) {
      value.kind = Value::Kind::kList;
      for (const YAML::Node& item : node) value.items.push_back(Convert(item, path, depth + 1));
    } else if (node.IsMap()) {
      ConvertMap(node, path, depth, value);
    }
    return value;
  }

 private:
  Location Place(const YAML::Mark& mark) const {
    Location place = file_;
    if (!mark.is_null() && !place.command_line) place.line = mark.line + 1;
    return place;
  }

  void ConvertMap(const YAML::Node& node, const std::string& path, int depth, Value& value) {
    value.kind = Value::Kind::kMap;
    for (const auto& entry : node) {
      const Location place = Place(entry.first.Mark());
      if (!entry.first.IsScalar()) {
        problems_.Add(place, path, "a key is not a word; write key: value");
        continue;
      }
      const std::string& key = entry.first.Scalar();
      const std::string key_path = path.empty() ? key : path + "." + key;
      if (const Value* first = value.Find(key)) {
        problems_.Add(place, key_path,
                      fmt::format("given twice, first on line {}; keep one", first->where.line));
        continue;
      }
      Value item = Convert(entry.second, key_path, depth + 1);
      item.where = place;
      value.keys.push_back(key);
      value.items.push_back(std::move(item));
    }
  }

  Location file_;
  Problems& problems_;
  int num_values_ = 0;
};

Value EmptyMap(Location where) {
  Value map;
  map.kind = Value::Kind::kMap;
  map.where = std::move(where);
  return map;
}

void AddMalformed(const Location& file, const YAML::Exception& error, const std::string& path,
                  Problems& problems) {
  Location place = file;
  if (!error.mark.is_null() && !file.command_line) place.line = error.mark.line + 1;
  problems.Add(place, path,
               fmt::format("malformed YAML: {}; check brackets, quotes and indentation there and "
                           "above",
                           error.msg));
}

// "pipeline.split" -> {"pipeline", "split"}
std::vector<std::string> SplitPath(const std::string& path) {
  std::vector<std::string> names;
  std::string::size_type begin = 0;
  while (true) {
    const auto end = path.find('.', begin);
    names.push_back(path.substr(begin, end - begin));
    if (end == std::string::npos) return names;
    begin = end + 1;
  }
}

}  // namespace

Value* Value::Find(const std::string& key) {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found == keys.end() ? nullptr : &items[found - keys.begin()];
}

std::string Value::Show() const {
  constexpr std::string::size_type kMaxShown = 60;
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
    case Kind::kScalar:
      break;
  }
  const std::string shown = text.size() > kMaxShown ? text.substr(0, kMaxShown) + "..." : text;
  return quoted || shown.empty() ? "\"" + shown + "\"" : shown;
}

Value ParseDocument(const std::string& text, const std::string& name, Problems& problems) {
  const Location file{.source = name};
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty() || documents[0].IsNull()) return EmptyMap(file);
    if (documents.size() > 1) {
      problems.Add(file, "", "holds more than one YAML document; keep one");
      return EmptyMap(file);
    }
    Value root = Converter(file, problems).Convert(documents[0], "", 0);
    if (root.kind == Value::Kind::kMap) return root;
    problems.Add(root.where, "",
                 fmt::format("the file is {}, not a map; write section: and its keys below",
                             root.kind == Value::Kind::kList ? "a list" : "one value"));
  } catch (const YAML::Exception& error) {
    AddMalformed(file, error, "", problems);
  }
  return EmptyMap(file);
}

void ApplyOverride(const std::string& setting, Value& root, Problems& problems) {
  const Location place{.command_line = true};
  const auto equals = setting.find('=');
  const std::string path = setting.substr(0, equals);
  if (equals == std::string::npos) {
    problems.Add(place, path, "has no value; write --set section.key=value");
    return;
  }
  Value* target = &root;
  for (const std::string& name : SplitPath(path)) {
    if (target->kind == Value::Kind::kNull) *target = EmptyMap(target->where);
    if (target->kind != Value::Kind::kMap || name.empty()) {
      problems.Add(place, path, "names no key; write --set section.key=value");
      return;
    }
    if (Value* inner = target->Find(name)) {
      target = inner;
      continue;
    }
    target->keys.push_back(name);
    target = &target->items.emplace_back();
    target->where = place;
  }
  try {
    *target = Converter(place, problems).Convert(YAML::Load(setting.substr(equals + 1)), path, 0);
    target->where = place;
  } catch (const YAML::Exception& error) {
    AddMalformed(place, error, path, problems);
  }
}

nlohmann::json ToJson(const Value& value) {
  nlohmann::json json;
  switch (value.kind) {
    case Value::Kind::kNull:
      break;
    case Value::Kind::kScalar:
      json = value.quoted ? nlohmann::json(value.text) : ScalarToJson(value.text);
      break;
    case Value::Kind::kList:
      json = nlohmann::json::array();
      for (const Value& item : value.items) json.push_back(ToJson(item));
      break;
    case Value::Kind::kMap:
      json = nlohmann::json::object();
      for (size_t i = 0; i < value.keys.size(); ++i) json[value.keys[i]] = ToJson(value.items[i]);
      break;
  }
  return json;
}

}  // namespace hyperpp::config
