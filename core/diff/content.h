// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <unordered_map>

namespace fx {

/// Numbers tensors and modules by content. Two tensors, or two modules, in any of the models have the same number
/// exactly if they are equal down to their bytes, whatever their paths.
///
/// A tensor's content is its type, sizes, quantiser and the bits of its elements. A constant that PyTorch computes on
/// loading (`torch.sigmoid(self.w)`) is its expression and everything that it reads, at any depth; a constant that
/// draws random numbers equals no other. A module's content is its class, mode, settings, parameters, buffers and
/// children, and the attributes of classes outside PyTorch.
///
/// Reads each tensor once, or twice if another tensor starts with the same bytes. Linear; no recursion. Throws
/// Error{File}, Error{Cancelled}. Keeps references to the models.
class Content {
public:
    explicit Content(const Progress& progress = {}) : m_progress(progress) {}

    /// Registers the constants of a model, whose expressions read the modules around them.
    void add(const GraphModule& model);
    /// Returns the number of a tensor.
    std::uint32_t ofTensor(const TensorPtr& tensor);
    /// Returns the number of a module.
    std::uint32_t ofModule(const Module& module);
    /// Returns the number of a text; equal texts have equal numbers.
    std::uint32_t ofText(const std::string& text);

private:
    using Scopes = std::vector<const Module*>; ///< innermost first
    std::string keyOf(const TensorRef& tensor) const;
    std::uint32_t ofElements(const TensorPtr& tensor);
    std::uint32_t ofConstant(const TensorPtr& tensor);
    std::string ownText(const Module& module);
    static bool isConstant(const TensorRef& tensor) { return tensor.storage && tensor.storage->isExpression(); }

    const Progress m_progress;
    std::unordered_map<std::string, std::uint32_t> m_texts;
    std::unordered_map<const TensorRef*, std::uint32_t> m_tensors;
    std::unordered_map<const Module*, std::uint32_t> m_modules;
    std::unordered_map<const TensorRef*, std::shared_ptr<const Scopes>> m_scopes;
    std::unordered_map<std::string, std::vector<std::pair<TensorPtr, std::uint32_t>>> m_alike; ///< by key and sample
    std::vector<TensorPtr> m_kept; ///< keeps tensors alive so that addresses stay unique
    std::uint32_t m_next = 1;
};

} // namespace fx
