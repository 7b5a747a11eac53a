// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/body_rules.h"

#include "core/make/observer_spec.h"
#include "core/ops/nn_modules.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;

ops::ClassOfModule classesBelow(const Module& root) {
    return [&root](const std::string& path) {
        const Module* module = resolvePath(root, path).module;
        return module ? module->qualifiedType() : std::string();
    };
}

BodyRules::BodyRules(const std::vector<std::string>& known, bool mayCreate) : m_mayCreate(mayCreate) {
    for (std::string name : known)
        for (; m_known.insert(name).second && name.find('.') != name.npos; name.resize(name.rfind('.'))) {}
}

void BodyRules::check(trace::Tracer& tracer) {
    if (!m_tracer) m_tracer = &tracer;
    if (m_tracer != &tracer) return;
    const Graph& graph = tracer.graph();
    const auto isKnown = [this](std::string_view name) { return knows(name); };
    for (; m_checked < graph.idLimit(); ++m_checked)
        if (const auto problem = ops::callProblem(graph, graph.node(static_cast<NodeId>(m_checked)), isKnown,
                                                  classesBelow(tracer.modules().root())))
            throw CannotFollow(*problem);
}

namespace {

/// Describes modules by the calls that created them.
class Describer {
public:
    explicit Describer(Interpreter& in) : m_in(in) {}

    NewModule describe(const Instance& module) {
        constexpr int kMostLevels = 100;
        if (m_level == kMostLevels)
            throw CannotFollow(Message("trace.too_deep", {{"what", "modules"}, {"limit", kMostLevels}}));
        ++m_level;
        NewModule out = described(module);
        --m_level;
        return out;
    }

private:
    NewModule described(const Instance& module) {
        const auto type = ops::findModule(module.type->torchPath);
        if (!type) throw CannotFollow(Message("make.own_class", {{"type", module.type->name}}));
        NewModule out{std::string(type->publicPath()), {}, {}};
        if (out.isContainer()) {
            for (const auto& child : module.module->children)
                if (const Instance* part = m_in.modules().instanceOf(child.module.get()))
                    out.modules.push_back({child.name, describe(*part)});
            return out;
        }
        const Instance::Construction* made = module.construction.get();
        if (!made) return out; // a part of another module, or of a class that takes no settings
        const auto parameters = type->parameters();
        for (std::size_t i = 0; i < made->args.size(); ++i) give(out, parameters[i].name, made->args[i]);
        for (const auto& [name, value] : made->kwargs) give(out, name, value);
        return out;
    }

    void give(NewModule& module, std::string_view name, const Value& value) {
        const auto* part = value.as<Instance>();
        if (part && part->module) {
            module.modules.push_back({std::string(name), describe(*part)});
        } else if (tensorIn(value)) {
            throw CannotFollow(Message("make.tensor_setting", {{"name", name}}));
        } else {
            const Argument plain = m_in.modules().settingOf(value);
            const auto* dtype = plain.as<TorchConstant>();
            if (name == "dtype" && !quant::observerKind(module.type) && !plain.isNone() &&
                !(dtype && dtype->name == "torch.float32"))
                throw CannotFollow(Message("make.unsupported_dtype"));
            module.values.emplace_back(name, plain);
        }
    }

    Interpreter& m_in;
    int m_level = 0;
};

/// Returns true if the source has not changed a module since its creation. `fresh` is the same module, created again.
bool isAsCreated(const Module& module, const Module& fresh) {
    const auto sameSlots = [](const std::vector<Module::Slot>& slots, const std::vector<Module::Slot>& created) {
        return std::equal(slots.begin(), slots.end(), created.begin(), created.end(), [](const auto& a, const auto& b) {
            if (!a.tensor || !b.tensor) return !a.tensor && !b.tensor;
            return a.name == b.name && a.tensor->sizes == b.tensor->sizes &&
                   isShapeOnly(*a.tensor) == isShapeOnly(*b.tensor);
        });
    };
    const auto sameAttribute = [](const auto& a, const auto& b) {
        const auto *value = std::get_if<Argument>(&a.second), *other = std::get_if<Argument>(&b.second);
        return a.first == b.first && (value && other ? *value == *other : !value && !other);
    };
    const auto sameChild = [](const auto& a, const auto& b) {
        return a.name == b.name && a.module && b.module && isAsCreated(*a.module, *b.module);
    };
    const auto &attributes = module.attributes, &created = fresh.attributes;
    return module.training == fresh.training && sameSlots(module.parameters, fresh.parameters) &&
           sameSlots(module.buffers, fresh.buffers) &&
           std::equal(attributes.begin(), attributes.end(), created.begin(), created.end(), sameAttribute) &&
           std::equal(module.children.begin(), module.children.end(), fresh.children.begin(), fresh.children.end(),
                      sameChild);
}

} // namespace

const std::string& BodyRules::pathOf(Interpreter& in, Instance& module) {
    if (const auto known = m_paths.find(&module); known != m_paths.end()) return known->second;
    NewModule made = Describer(in).describe(module);
    if (!m_mayCreate) throw CannotFollow(Message("make.module_in_pattern", {{"type", made.type}}));
    TorchGenerator shapes(0, NewWeights::ShapesOnly);
    auto fresh = made.make(shapes);
    if (!isAsCreated(*module.module, *fresh)) throw CannotFollow(Message("make.changed", {{"type", made.type}}));
    Module& root = in.tracer().modules().root();
    const std::string name = attributeName(made.type);
    std::string path = name;
    const auto isTaken = [&](const auto& slots) {
        return std::any_of(slots.begin(), slots.end(), [&](const auto& slot) { return slot.name == path; });
    };
    for (int i = 1; isTaken(root.children) || isTaken(root.parameters) || isTaken(root.buffers); ++i)
        path = name + "_" + std::to_string(i);
    root.children.push_back({path, std::move(fresh)});
    newModules.emplace_back(path, std::move(made));
    return m_paths.emplace(&module, std::move(path)).first->second;
}

} // namespace fx::python
