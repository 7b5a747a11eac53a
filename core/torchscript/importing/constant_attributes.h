// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/script_objects.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fx::script {

/// The constant tensors of a script, which become attributes `_tensor_constant0`, … of the imported module.
class ConstantAttributes {
public:
    /// Keeps references to `program` and `root`, the module of the file.
    ConstantAttributes(const Program& program, const Object& root) : m_program(program), m_root(root) {}

    std::string pathOf(std::int32_t constant);   ///< Returns the attribute of a constant of the program.
    std::string pathOf(const TensorPtr& tensor); ///< Returns the attribute of a tensor, which it may create.
    /// Returns the constant, or the tensor of the file's objects, at a path; null for other paths.
    TensorPtr tensorAt(const std::string& path) const;
    /// Returns the value of a zero-dimensional constant; nullopt for other paths.
    std::optional<Argument> numberAt(const std::string& path) const;
    /// The constants by their paths, in the order of their creation.
    const std::vector<std::pair<std::string, TensorPtr>>& tensors() const { return m_tensors; }

private:
    const std::string& add(TensorPtr tensor);

    const Program& m_program;
    const Object& m_root;
    std::vector<std::pair<std::string, TensorPtr>> m_tensors;
    std::map<std::int32_t, std::string> m_paths; ///< by constant of the program
};

} // namespace fx::script
