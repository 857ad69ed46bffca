#include "hyperpp/models/spec/field_reader.h"

#include <utility>

#include <fmt/format.h>

namespace hyperpp::models {

std::string Quote(const nlohmann::json& value) {
  constexpr size_t kLimit = 60;
  std::string text =
      value.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
  if (text.size() > kLimit) text = text.substr(0, kLimit) + "...";
  return text;
}

FieldReader::FieldReader(const nlohmann::json& object, std::string where, std::string prefix,
                         Findings* findings)
    : object_(object), where_(std::move(where)), prefix_(std::move(prefix)), findings_(findings) {}

const nlohmann::json* FieldReader::Find(std::string_view name) {
  asked_.emplace(name);
  const auto field = object_.find(name);
  return field == object_.end() ? nullptr : &*field;
}

bool FieldReader::HasValue(std::string_view name) {
  const nlohmann::json* value = Find(name);
  return value != nullptr && !value->is_null();
}

int64_t FieldReader::Integer(std::string_view name, int64_t absent, IntegerRange range) {
  const nlohmann::json* value = Find(name);
  return value == nullptr ? absent : ReadInteger(name, *value, range);
}

double FieldReader::Number(std::string_view name, double absent, NumberRange range) {
  const nlohmann::json* value = Find(name);
  return value == nullptr ? absent : ReadNumber(name, *value, range);
}

bool FieldReader::Boolean(std::string_view name, bool absent) {
  const nlohmann::json* value = Find(name);
  if (value == nullptr) return absent;
  if (value->is_boolean()) return value->get<bool>();
  RefuseType(name, *value, "true or false");
  return absent;
}

std::string FieldReader::Text(std::string_view name, std::string_view absent) {
  const nlohmann::json* value = Find(name);
  if (value == nullptr) return std::string(absent);
  if (value->is_string()) return value->get<std::string>();
  RefuseType(name, *value, "a string");
  return std::string(absent);
}

std::optional<int64_t> FieldReader::OptionalInteger(std::string_view name,
                                                    std::optional<int64_t> absent,
                                                    IntegerRange range) {
  const nlohmann::json* value = Find(name);
  if (value == nullptr) return absent;
  if (value->is_null()) return std::nullopt;
  return ReadInteger(name, *value, range);
}

std::optional<double> FieldReader::OptionalNumber(std::string_view name, NumberRange range) {
  if (!HasValue(name)) return std::nullopt;
  return ReadNumber(name, *Find(name), range);
}

int64_t FieldReader::RequiredInteger(std::string_view name, IntegerRange range) {
  if (HasValue(name)) return ReadInteger(name, *Find(name), range);
  Refuse(name, "is missing");
  return range.min;
}

double FieldReader::RequiredNumber(std::string_view name, NumberRange range) {
  if (HasValue(name)) return ReadNumber(name, *Find(name), range);
  Refuse(name, "is missing");
  return range.min;
}

void FieldReader::Refuse(std::string_view name, std::string_view fact) {
  findings_->problems.push_back(fmt::format("{}: {}{}: {}", where_, prefix_, name, fact));
}

void FieldReader::Warn(std::string_view name, std::string_view fact) {
  findings_->warnings.push_back(fmt::format("{}: {}{}: {}", where_, prefix_, name, fact));
}

std::vector<std::string> FieldReader::UnknownFields() const {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : object_.items())
    if (!asked_.contains(name)) unknown.push_back(name);
  return unknown;
}

int64_t FieldReader::ReadInteger(std::string_view name, const nlohmann::json& value,
                                 IntegerRange range) {
  if (!value.is_number_integer()) {
    RefuseType(name, value, "an integer");
    return range.min;
  }
  // A value above the largest int64 is stored unsigned; it is above every range.
  const bool huge = value.is_number_unsigned() &&
                    value.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()};
  const int64_t number = huge ? std::numeric_limits<int64_t>::max() : value.get<int64_t>();
  if (number >= range.min && number <= range.max) return number;
  Refuse(name, fmt::format("{} is out of range; use {} to {}", Quote(value), range.min, range.max));
  return range.min;
}

double FieldReader::ReadNumber(std::string_view name, const nlohmann::json& value,
                               NumberRange range) {
  if (!value.is_number()) {
    RefuseType(name, value, "a number");
    return range.min;
  }
  const double number = value.get<double>();
  if (number >= range.min && number <= range.max) return number;
  Refuse(name, fmt::format("{} is out of range; use {} to {}", Quote(value), range.min, range.max));
  return range.min;
}

void FieldReader::RefuseType(std::string_view name, const nlohmann::json& value,
                             std::string_view expected) {
  Refuse(name, fmt::format("is {}, expected {}", Quote(value), expected));
}

}  // namespace hyperpp::models
