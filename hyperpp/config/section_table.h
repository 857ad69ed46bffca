// The form of the configuration's table: sections and keys, bound to the structs of config.h.
//
// Parsing, writing, the comparison between ranks and the reference all walk this one table, so a
// key that is added to it exists everywhere at once. `SectionTable` builds a section: it knows the
// struct's type, and leaves a `Section` that does not. The default is what a new struct holds.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hyperpp/config/kinds.h"
#include "hyperpp/config/scalar.h"

namespace hyperpp::config {

struct Key {
  std::string name;          // "lr"
  std::string type;          // "number >= 0"
  std::string default_text;  // "0.1"; "required"
  std::string meaning;       // one sentence
  bool required = false;
  std::function<Complaint(const Value&, Config&)> read;
  std::function<Json(const Config&)> write;  // null: not set
};

struct Section {
  std::string name;  // "optimizer"; "evaluation.data" is the map at key `data` of `evaluation`
  std::string meaning;
  std::vector<Key> keys;
  /// A section inside another exists only if it is written.
  std::function<bool(const Config&)> exists;
  std::function<void(Config&)> create;

  const Key* Find(const std::string& key) const {
    for (const Key& candidate : keys) {
      if (candidate.name == key) return &candidate;
    }
    return nullptr;
  }
};

/// Builds the section whose struct `select` finds in a Config, const or not.
template <typename Select>
class SectionTable {
 public:
  using Struct = std::remove_cvref_t<std::invoke_result_t<Select, Config&>>;

  SectionTable(std::string name, std::string meaning, Select select) : select_(select) {
    section_.name = std::move(name);
    section_.meaning = std::move(meaning);
    section_.exists = [](const Config&) { return true; };
    section_.create = [](Config&) {};
  }

  /// Adds a key with the struct's default. `member` is a pointer to a data member, or
  /// std::identity for a kind that fills several members of the struct. `default_text` replaces
  /// the default in the reference where it depends on other keys.
  template <typename Member, typename Kind>
  SectionTable& Add(const std::string& name, Member member, Kind kind, const std::string& meaning,
                    const std::string& default_text = "") {
    Key key;
    key.name = name;
    key.type = kind.Describe();
    key.meaning = meaning;
    const Struct defaults{};
    const Json written = kind.Write(std::invoke(member, defaults));
    key.default_text = default_text.empty() ? DefaultText(written) : default_text;
    key.read = [select = select_, member, kind](const Value& value, Config& config) {
      return kind.Read(value, std::invoke(member, select(config)));
    };
    key.write = [select = select_, member, kind](const Config& config) {
      return kind.Write(std::invoke(member, select(config)));
    };
    section_.keys.push_back(std::move(key));
    return *this;
  }

  /// Adds a key that has no default.
  template <typename Member, typename Kind>
  SectionTable& Required(const std::string& name, Member member, Kind kind,
                         const std::string& meaning) {
    Add(name, member, kind, meaning, "required");
    section_.keys.back().required = true;
    return *this;
  }

  /// Makes the section one that exists only if it is written.
  SectionTable& OnlyIfWritten(std::function<bool(const Config&)> exists,
                              std::function<void(Config&)> create) {
    section_.exists = std::move(exists);
    section_.create = std::move(create);
    return *this;
  }

  Section Build() { return std::move(section_); }

 private:
  static std::string DefaultText(const Json& value) {
    if (value.is_null()) return "none";
    return value.is_string() ? value.get<std::string>() : FlowText(value);
  }

  Select select_;
  Section section_;
};

}  // namespace hyperpp::config
