#include "hyperpp/comm/gather_strings.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <ATen/ATen.h>

#include "hyperpp/core/error.h"

namespace hyperpp::comm {

std::vector<std::string> GatherStrings(Group& group, const std::string& text) {
  const at::Tensor own_size = at::full({1}, static_cast<int64_t>(text.size()), at::kLong);
  const at::Tensor sizes = at::empty({group.size()}, at::kLong);
  group.AllGather(sizes, own_size)->Wait();
  const int64_t* size_of = sizes.const_data_ptr<int64_t>();
  const int64_t largest = *std::max_element(size_of, size_of + group.size());
  std::vector<std::string> texts(group.size());
  if (largest == 0) return texts;

  const at::Tensor own = at::zeros({largest}, at::kByte);
  std::memcpy(own.mutable_data_ptr(), text.data(), text.size());
  const at::Tensor all = at::empty({group.size(), largest}, at::kByte);
  group.AllGather(all, own)->Wait();
  const char* bytes = static_cast<const char*>(all.const_data_ptr());
  for (int i = 0; i < group.size(); ++i) texts[i].assign(bytes + i * largest, size_of[i]);
  return texts;
}

std::string PackStrings(const std::vector<std::string>& parts) {
  std::string packed;
  for (const std::string& part : parts) packed += fmt::format("{}:{}", part.size(), part);
  return packed;
}

std::vector<std::string> UnpackStrings(const std::string& packed) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  while (at < packed.size()) {
    const std::size_t colon = packed.find(':', at);
    HYPERPP_CHECK(colon != std::string::npos, "packed strings end early at {}", at);
    const std::size_t size = std::stoull(packed.substr(at, colon - at));
    parts.push_back(packed.substr(colon + 1, size));
    at = colon + 1 + size;
  }
  return parts;
}

}  // namespace hyperpp::comm
