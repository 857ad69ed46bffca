"""Each rule of tools/check_layers.py finds a violation that is put in, and nothing else."""
import unittest

from tree import TreeTest

import check_layers

LAYERS = "# Packages.\ncore:\nplan: core\ncomm: core +torch +c10d\nkernels: core +torch\n"


class CheckLayersTest(TreeTest):
    def check(self, files, layers=LAYERS):
        self.write({"tools/layers.txt": layers, "hyperpp/core/error.h": "#pragma once\n", **files})
        return check_layers.check(self.root)

    def test_allowed_includes_pass(self):
        self.assertEqual(self.check({
            "hyperpp/plan/plan.h": '#include <vector>\n#include <fmt/format.h>\n#include "hyperpp/core/error.h"\n',
            "hyperpp/comm/group.cc": "#include <torch/csrc/distributed/c10d/Backend.hpp>\n",
            "hyperpp/kernels/norm.h": "#include <ATen/core/Tensor.h>\n"}), [])

    def test_higher_package_is_named_with_file_and_line(self):
        self.assert_one(self.check({"hyperpp/plan/plan.h": "#pragma once\n",
                                    "hyperpp/core/log.h": '#pragma once\n#include "hyperpp/plan/plan.h"\n'}),
                        "hyperpp/core/log.h:2: core may not include plan")

    def test_torch_needs_its_mark(self):
        for header in ("ATen/ATen.h", "c10/core/Device.h", "torch/nn/module.h"):
            self.assert_one(self.check({"hyperpp/plan/plan.cc": f"#include <{header}>\n"}), "plan.cc:1", "+torch")

    def test_c10d_needs_its_mark(self):
        self.assert_one(self.check({"hyperpp/kernels/norm.cc": "#include <torch/csrc/distributed/c10d/Work.hpp>\n"}),
                        "norm.cc:1", "+c10d")

    def test_whole_torch_is_included_nowhere(self):
        self.assert_one(self.check({"hyperpp/comm/group.h": "#include <torch/torch.h>\n"}), "torch/torch.h")

    def test_includes_are_repository_paths_that_exist(self):
        self.assert_one(self.check({"hyperpp/core/log.cc": '#include "log.h"\n'}), "repository paths")
        self.assert_one(self.check({"hyperpp/core/log.cc": '#include "hyperpp/core/lag.h"\n'}), "does not exist")

    def test_folders_must_be_listed(self):
        self.assert_one(self.check({"hyperpp/extra/a.cc": "\n"}), "hyperpp/extra/a.cc:1", "not listed")

    def test_cycles_of_the_list_are_found(self):
        self.assert_one(self.check({}, "core:\na: core b\nb: core a\n"), "layers.txt:2: cycle a -> b -> a")

    def test_unlisted_names_in_the_list_are_found(self):
        self.assert_one(self.check({}, "core: base\n"), "core may include base")

    def test_links_follow_the_same_edges(self):
        self.write({"hyperpp/plan/CMakeLists.txt": "hyperpp_add_package(plan\n  SOURCES a.cc\n  DEPENDS core)\n"})
        self.assert_one(self.check({"hyperpp/core/CMakeLists.txt": "\nhyperpp_add_package(core DEPENDS plan)\n"}),
                        "hyperpp/core/CMakeLists.txt:2: core may not link plan")


if __name__ == "__main__":
    unittest.main()
