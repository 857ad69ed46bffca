// How a node of the autograd graph is allocated: libtorch holds it by std::shared_ptr up to 2.12
// and by c10::intrusive_ptr from 2.13 on.
#pragma once

#include <memory>
#include <utility>

#include <c10/util/intrusive_ptr.h>
#include <torch/version.h>

namespace hyperpp::models {

template <typename Node, typename... Arguments>
auto MakeNode(Arguments&&... arguments) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 13
  return c10::make_intrusive<Node>(std::forward<Arguments>(arguments)...);
#else
  return std::make_shared<Node>(std::forward<Arguments>(arguments)...);
#endif
}

}  // namespace hyperpp::models
