// Typed access to the fields of config.json that collects what is wrong instead of stopping at the
// first mistake.
//
// Each getter returns a usable value even for a bad field, so that reading goes on; the caller
// looks at `Findings` at the end and throws once. Getters also remember which fields were asked
// for: what nobody asked for is a field that hyperpp does not know.
//
// A field that is absent takes the family's default. A field that is null means the same only
// where transformers says so; there the Optional getters are used.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace hyperpp::models {

/// Inclusive bounds of an integer field.
struct IntegerRange {
  int64_t min = 1;
  int64_t max = std::numeric_limits<int32_t>::max();
};

/// Inclusive bounds of a real field.
struct NumberRange {
  double min = 0;
  double max = std::numeric_limits<double>::infinity();
};

/// What reading a file brought up, one line each.
struct Findings {
  std::vector<std::string> problems;  // the file is refused
  std::vector<std::string> warnings;
};

/// Reader of one JSON object.
class FieldReader {
 public:
  /// `where` names the file; `prefix` is put before field names ("rope_parameters.").
  /// REQUIRES: `object` is a JSON object; it and `findings` outlive the reader.
  FieldReader(const nlohmann::json& object, std::string where, std::string prefix,
              Findings* findings);

  /// Returns the field's value, or null if it is absent. Counts as asked for.
  const nlohmann::json* Find(std::string_view name);
  /// Whether the field is present and not null. Counts as asked for.
  bool HasValue(std::string_view name);

  int64_t Integer(std::string_view name, int64_t absent, IntegerRange range = {});
  double Number(std::string_view name, double absent, NumberRange range = {});
  bool Boolean(std::string_view name, bool absent);
  std::string Text(std::string_view name, std::string_view absent);

  /// Like the above; null gives no value.
  std::optional<int64_t> OptionalInteger(std::string_view name, std::optional<int64_t> absent,
                                         IntegerRange range = {});
  std::optional<double> OptionalNumber(std::string_view name, NumberRange range = {});

  /// A required field: says that it is missing if it is absent or null, and returns `range.min`.
  int64_t RequiredInteger(std::string_view name, IntegerRange range = {});
  double RequiredNumber(std::string_view name, NumberRange range = {});

  /// Adds "<where>: <name>: <fact>" to the problems.
  void Refuse(std::string_view name, std::string_view fact);
  /// Adds the same to the warnings.
  void Warn(std::string_view name, std::string_view fact);

  /// Names of fields that nobody asked for, in the order of the object.
  std::vector<std::string> UnknownFields() const;

  const nlohmann::json& object() const { return object_; }
  const std::string& where() const { return where_; }
  Findings* findings() const { return findings_; }

 private:
  int64_t ReadInteger(std::string_view name, const nlohmann::json& value, IntegerRange range);
  double ReadNumber(std::string_view name, const nlohmann::json& value, NumberRange range);
  void RefuseType(std::string_view name, const nlohmann::json& value, std::string_view expected);

  const nlohmann::json& object_;
  std::string where_;
  std::string prefix_;
  Findings* findings_;
  std::set<std::string, std::less<>> asked_;
};

/// Writes a JSON value for a message; long ones are cut.
std::string Quote(const nlohmann::json& value);

}  // namespace hyperpp::models
