// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/content.h"

#include "core/base/joined_path.h"
#include "core/ir/print.h"
#include "core/module/constructor_settings.h"
#include "core/pysrc/expression_names.h"
#include "core/tensor/same_bits.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace fx {
namespace {

const Graph& noGraph() {
    static const Graph graph;
    return graph;
}

/// What a read of an expression leads to; attributes and methods of a tensor may follow ("k.T"). Missing: nothing.
PathTarget targetOf(const Module& module, std::string_view read) {
    for (std::size_t end = 0; end < read.size(); ++end) {
        end = std::min(read.find('.', end), read.size());
        PathTarget target = resolvePath(module, read.substr(0, end));
        if (target.kind != PathTarget::Kind::Module) return target;
    }
    return {};
}

/// True if a constant has a different value each time it is computed.
bool drawsNumbers(const std::string& source) {
    constexpr std::array kWords = {"rand", "empty", "normal", "bernoulli", "multinomial", "poisson", "dropout"};
    return std::any_of(kWords.begin(), kWords.end(),
                       [&](const char* word) { return source.find(word) != source.npos; });
}

py::ExpressionNames namesOf(const std::string& source) {
    try {
        return py::namesIn(source);
    } catch (const Error&) { // it cannot be computed either
        return {};
    }
}

} // namespace

std::uint32_t Content::ofText(const std::string& text) {
    const auto [entry, isNew] = m_texts.emplace(text, m_next);
    m_next += isNew;
    return entry->second;
}

void Content::add(const GraphModule& model) {
    std::unordered_map<std::string, std::shared_ptr<const Scopes>> around; // by module path
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        const auto found = path.empty() ? around.end() : around.find(std::string(parentPath(path)));
        std::shared_ptr<const Scopes> scopes = found == around.end() ? nullptr : found->second;
        if (!scopes || module.graphModule) {
            Scopes own{&module};
            if (scopes) own.insert(own.end(), scopes->begin(), scopes->end());
            scopes = std::make_shared<const Scopes>(std::move(own));
        }
        around.emplace(path, scopes);
        forEachOwnTensor(module, [&](const std::string&, const TensorPtr& tensor) {
            if (isConstant(*tensor)) m_scopes.emplace(tensor.get(), scopes);
        });
    });
}

/// Type, sizes and how elements are to be read.
std::string Content::keyOf(const TensorRef& tensor) const {
    std::string key(dtypeName(tensor.dtype));
    key += ' ' + tensor.dtypeText + ' ' + tensor.layout + (tensor.conjugate ? " conj" : "") +
           (tensor.negative ? " neg" : "");
    for (const std::int64_t size : tensor.sizes) key += ' ' + std::to_string(size);
    return key;
}

std::uint32_t Content::ofTensor(const TensorPtr& tensor) {
    if (!tensor) return ofText("none");
    if (const auto known = m_tensors.find(tensor.get()); known != m_tensors.end()) return known->second;
    m_kept.push_back(tensor);
    return m_tensors[tensor.get()] = isConstant(*tensor) ? ofConstant(tensor) : ofElements(tensor);
}

/// Tensors that begin, go on and end alike are compared bit by bit.
std::uint32_t Content::ofElements(const TensorPtr& tensor) {
    m_progress.check();
    std::string key = keyOf(*tensor);
    if (const auto& q = tensor->quantizer) {
        const std::array numbers = {std::uint64_t(q->perChannel), std::uint64_t(q->zeroPoint), std::uint64_t(q->axis)};
        for (const std::uint64_t number : numbers) key += ' ' + std::to_string(number);
        key += ' ' + reprOf(noGraph(), Argument(q->scale));
        if (q->perChannel) // their tensors are plain
            key += ' ' + std::to_string(ofElements(q->scales)) + ' ' + std::to_string(ofElements(q->zeroPoints));
    }
    if (!tensor->storage) return ofText("meta " + key);
    const std::vector<std::byte> sample = sampleOf(*tensor, m_progress);
    key.append(1, '\n').append(reinterpret_cast<const char*>(sample.data()), sample.size());
    auto& alike = m_alike[key];
    for (const auto& [other, number] : alike)
        if (other == tensor || sameBits(*other, *tensor, m_progress)) return number;
    alike.emplace_back(tensor, m_next);
    return m_next++;
}

/// Constants may read other constants, which get their numbers first.
std::uint32_t Content::ofConstant(const TensorPtr& wanted) {
    std::unordered_set<const TensorRef*> begun;
    for (std::vector<TensorPtr> open{wanted}; true;) {
        m_progress.check();
        const TensorPtr tensor = open.back();
        const std::string& source = tensor->storage->expressionSource();
        const bool isFirst = begun.insert(tensor.get()).second;
        std::string key = "constant " + keyOf(*tensor) + '\n' + source;
        if (drawsNumbers(source)) key += "\nown " + std::to_string(m_next);
        const auto scopes = m_scopes.find(tensor.get());
        const py::ExpressionNames names = namesOf(source);
        const std::size_t depth = open.size();
        for (const std::string& read : names.reads) {
            PathTarget target;
            for (std::size_t i = 0; scopes != m_scopes.end() && i < scopes->second->size() && !target.tensor; ++i)
                if (PathTarget here = targetOf(*(*scopes->second)[i], read);
                    here.kind != PathTarget::Kind::Missing && target.kind == PathTarget::Kind::Missing)
                    target = std::move(here);
            key += '\n' + read + ' ';
            if (target.value) key += reprOf(noGraph(), *target.value);
            if (!target.tensor) continue;
            const bool isOpen = isConstant(*target.tensor) && !m_tensors.contains(target.tensor.get());
            if (isOpen && isFirst && !begun.contains(target.tensor.get())) open.push_back(target.tensor);
            else key += isOpen ? "circle" : std::to_string(ofTensor(target.tensor));
        }
        if (open.size() > depth) continue;
        const std::uint32_t number = ofText(key);
        open.pop_back();
        if (open.empty()) return number;
        m_kept.push_back(tensor);
        m_tensors[tensor.get()] = number;
    }
}

/// All of a module but its children.
std::string Content::ownText(const Module& module) {
    std::string text = "module " + module.qualifiedType() + (module.training ? " training" : "");
    for (const Setting& setting : constructorSettings(module))
        text += '\n' + setting.name + '=' + reprOf(noGraph(), setting.value);
    for (const auto* slots : {&module.parameters, &module.buffers})
        for (const Module::Slot& slot : *slots) text += '\n' + slot.name + ' ' + std::to_string(ofTensor(slot.tensor));
    const bool isOfTorch = module.classModule.starts_with("torch.nn.") || module.classModule.starts_with("torch.ao.");
    for (const auto& [name, value] : module.attributes) {
        if (const auto* tensor = std::get_if<TensorPtr>(&value))
            text += '\n' + name + ' ' + std::to_string(ofTensor(*tensor));
        else if (!isOfTorch || name == "_forward_pre_hooks")
            text += '\n' + name + '=' + reprOf(noGraph(), std::get<Argument>(value));
    }
    if (module.graphModule) text += '\n' + graphText(module.graphModule->graph);
    return text;
}

std::uint32_t Content::ofModule(const Module& wanted) {
    std::unordered_set<const Module*> begun;
    for (std::vector<const Module*> open{&wanted}; !open.empty();) {
        m_progress.check();
        const Module& module = *open.back();
        if (m_modules.contains(&module)) {
            open.pop_back();
            continue;
        }
        const bool isFirst = begun.insert(&module).second;
        std::string children;
        bool isReady = true;
        for (const Module::Child& child : module.children) {
            const auto known = child.module ? m_modules.find(child.module.get()) : m_modules.end();
            if (child.module && known == m_modules.end() && isFirst) {
                open.push_back(child.module.get());
                isReady = false;
            }
            children += '\n' + child.name + ' ' + (known == m_modules.end() ? "none" : std::to_string(known->second));
        }
        if (!isReady) continue;
        m_modules[&module] = ofText(ownText(module) + "\nchildren" + children);
        open.pop_back();
    }
    return m_modules.at(&wanted);
}

} // namespace fx
