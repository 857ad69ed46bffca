#include "hyperpp/trainer/tensorboard.h"

#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <unistd.h>

#include "hyperpp/core/error.h"

namespace hyperpp::trainer {
namespace {

// CRC-32C (Castagnoli), bit by bit through a table; then masked as TFRecord wants it.
uint32_t MaskedCrc32c(std::string_view data) {
  static constexpr auto kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t crc = i;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78U : 0U);
      table[i] = crc;
    }
    return table;
  }();
  uint32_t crc = ~0U;
  for (const char c : data) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF] ^ (crc >> 8);
  crc = ~crc;
  return std::rotr(crc, 15) + 0xA282EAD8U;
}

template <typename T>
std::string Raw(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

// Protocol buffer wire format: a tag is (field << 3 | type), types 0 varint, 1 and 5 fixed, 2
// bytes.
std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string VarintField(int field, uint64_t value) { return Varint(field << 3) + Varint(value); }
std::string DoubleField(int field, double value) { return Varint(field << 3 | 1) + Raw(value); }
std::string FloatField(int field, float value) { return Varint(field << 3 | 5) + Raw(value); }
std::string BytesField(int field, const std::string& value) {
  return Varint(field << 3 | 2) + Varint(value.size()) + value;
}

double WallTime() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

TensorBoardWriter::TensorBoardWriter(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  path_ = fmt::format("{}/events.out.tfevents.{}.hyperpp.{}", folder,
                      static_cast<int64_t>(WallTime()), getpid());
  out_.open(path_, std::ios::binary);
  WriteEvent(DoubleField(1, WallTime()) + BytesField(3, "brain.Event:2"));
}

void TensorBoardWriter::Write(int64_t step, const nlohmann::json& record) {
  std::string summary;
  for (const auto& [name, value] : record.items()) {
    if (name == "step" || !value.is_number()) continue;
    summary += BytesField(1, BytesField(1, name) + FloatField(2, value.get<float>()));
  }
  WriteEvent(DoubleField(1, WallTime()) + VarintField(2, static_cast<uint64_t>(step)) +
             BytesField(5, summary));
}

void TensorBoardWriter::WriteEvent(const std::string& event) {
  const std::string length = Raw(static_cast<uint64_t>(event.size()));
  out_ << length << Raw(MaskedCrc32c(length)) << event << Raw(MaskedCrc32c(event));
  out_.flush();
  if (!out_)
    throw IoError(fmt::format("{}: cannot write; check free space and permissions", path_));
}

}  // namespace hyperpp::trainer
