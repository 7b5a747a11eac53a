// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/anonymise/anonymise.h"

#include "core/diag/error.h"
#include "core/model_files/anonymise/argument_names.h"
#include "core/model_files/anonymise/other_weights.h"
#include "core/module/exported_signature.h"
#include "core/module/pytree_form.h"
#include "core/module/script_object.h"

#include <algorithm>
#include <unordered_set>

namespace fx {
namespace {

using namespace anonymise;

/// Whether a class of torch names its members itself; containers have members that users name.
bool namesItsMembers(const Module& module) {
    const std::string type = module.qualifiedType();
    return type.starts_with("torch.") && !type.starts_with("torch.nn.modules.container.") &&
           type != "torch.nn.modules.module.Module" && !type.starts_with("torch.fx.") && !module.graphModule;
}

/// What Namespace makes of a target without a clash.
std::string derivedName(Op op, const std::string& target, const CallablePtr& callable) {
    Graph scratch;
    const NodeId id = op == Op::CallFunction ? scratch.callFunction(callable) : scratch.createNode(op, target);
    return scratch.node(id).name();
}

class Anonymiser {
public:
    explicit Anonymiser(const Progress& progress) : m_progress(progress), m_weights(progress) {}

    std::shared_ptr<GraphModule> run(const GraphModule& model) {
        auto out = std::make_shared<GraphModule>();
        out->format = model.format, out->producer = model.producer, out->notLoadable = model.notLoadable;
        out->className = model.className == "GraphModule" ? model.className : names.type(model.className);
        out->tracerClass = model.tracerClass.starts_with("torch.") ? model.tracerClass : "";
        names.lacks(model.path);
        for (const std::string& name : model.modelNames) out->modelNames.push_back(named(name, NameKind::Module));
        if (!model.modelName.empty()) out->modelName = named(model.modelName, NameKind::Module);
        for (const Node& node : model.graph.nodes())
            if (node.op() == Op::GetAttr) m_read.insert(node.target());
        out->root = moduleOf(*model.root);
        graph(model, *out);
        for (const auto& [name, nested] : model.subgraphs)
            out->subgraphs.emplace_back(path(*model.root, name), Anonymiser::part(*nested));
        for (const LiftedInput& input : model.lifted)
            out->lifted.push_back({m_nodes.at(input.node), input.kind, path(*model.root, input.path)});
        out->origin = origin(model, *out);
        return out;
    }

    Names names;

private:
    /// A nested graph has nodes of its own, and the same names and weights.
    std::shared_ptr<GraphModule> part(const GraphModule& nested) {
        if (m_depth == kMostNested) throw Error(ErrorKind::Refused, Message("anonymise.too_deep"));
        ++m_depth;
        auto nodes = std::exchange(m_nodes, {});
        auto read = std::exchange(m_read, {});
        auto modules = std::exchange(m_modules, {}); // a GraphModule's root shares them under other conditions
        auto out = run(nested);
        m_nodes = std::move(nodes), m_read = std::move(read), m_modules = std::move(modules);
        --m_depth;
        return out;
    }

    std::string named(std::string_view text, NameKind kind) {
        return isNumber(text) ? std::string(text) : names.of(text, kind);
    }

    std::string memberName(const Module* holder, std::string_view name, NameKind kind) {
        return holder && namesItsMembers(*holder) ? names.unlessPublic(name, kind) : named(name, kind);
    }

    /// A dotted path from `root`; beyond what is there, all atoms get new names.
    std::string path(const Module& root, std::string_view dotted) {
        if (dotted.empty()) return {};
        const Module* holder = &root;
        std::string out;
        for (std::size_t at = 0; at <= dotted.size();) {
            const std::size_t dot = std::min(dotted.find('.', at), dotted.size());
            const std::string_view atom = dotted.substr(at, dot - at);
            const Module* const child = holder ? holder->child(atom) : nullptr;
            const bool isChild = child || (holder && holder->childIndex(atom) < holder->children.size());
            out += (at > 0 ? "." : "") +
                   memberName(holder, atom, isChild || dot < dotted.size() ? NameKind::Module : NameKind::Tensor);
            holder = child;
            at = dot + 1;
        }
        return out;
    }

    std::shared_ptr<Module> moduleOf(const Module& root) {
        std::vector<std::pair<const Module*, std::string>> open{{&root, ""}};
        const auto made = entered(root);
        while (!open.empty()) {
            m_progress.check();
            const auto [module, place] = std::move(open.back());
            open.pop_back();
            fill(*module, *m_modules.at(module), place);
            if (module->graphModule) continue; // its children are those of its root
            for (const Module::Child& child : module->children) {
                auto& to = m_modules.at(module)->children;
                to.push_back({memberName(module, child.name, NameKind::Module), nullptr});
                if (!child.module) continue;
                const bool isNew = !m_modules.contains(child.module.get());
                to.back().module = entered(*child.module);
                if (isNew) open.emplace_back(child.module.get(), place + child.name + ".");
            }
        }
        return made;
    }
    std::shared_ptr<Module> entered(const Module& module) {
        auto& made = m_modules[&module];
        if (!made) made = std::make_shared<Module>();
        return made;
    }

    void fill(const Module& module, Module& to, const std::string& place) {
        if (module.classModule == kScriptParts) throw Error(ErrorKind::Refused, Message("anonymise.script"));
        const bool isTorchs = module.qualifiedType().starts_with("torch.") || isScriptObject(module);
        const bool isNamed = module.classModule == "torch.fx.graph_module"; // a GraphModule has the name of its model
        if (isNamed) to.setType("torch.fx.graph_module.GraphModule");
        else if (isTorchs) to.className = module.className, to.classModule = module.classModule;
        else to.setType(names.type(module.qualifiedType()));
        to.training = module.training;
        const auto slots = [&](const std::vector<Module::Slot>& from, std::vector<Module::Slot>& into) {
            for (const Module::Slot& slot : from)
                into.push_back(
                    {memberName(&module, slot.name, NameKind::Tensor), m_weights.of(slot.tensor), slot.persistent});
        };
        slots(module.parameters, to.parameters), slots(module.buffers, to.buffers);
        const bool keeps = isTorchs && namesItsMembers(module);
        for (const auto& [name, value] : module.attributes) attribute(module, to, name, value, keeps, place);
        if (module.graphModule) {
            to.graphModule = part(*module.graphModule);
            const auto root = to.graphModule->root;
            to.parameters = root->parameters, to.buffers = root->buffers, to.attributes = root->attributes;
            to.children = root->children;
        }
    }

    void attribute(const Module& module, Module& to, const std::string& name,
                   const std::variant<Argument, TensorPtr>& value, bool keeps, const std::string& place) {
        if (const auto* tensor = std::get_if<TensorPtr>(&value)) {
            to.attributes.emplace_back(memberName(&module, name, NameKind::Tensor), m_weights.of(*tensor));
            return;
        }
        const bool isRead = m_read.contains(place + name) || name == "_in_spec" || name == "_out_spec";
        const Argument& setting = std::get<Argument>(value);
        if (isRead || (keeps && isPublicWord(name))) {
            const std::string to_name =
                name.starts_with("_") && isPublicWord(name) ? name : memberName(&module, name, NameKind::Tensor);
            to.attributes.emplace_back(to_name, withoutNames(setting, names, [](NodeId id) { return id; }));
            return;
        }
        names.lacks(name);
        if (const auto* text = setting.as<std::string>()) names.lacks(*text);
    }

    void graph(const GraphModule& model, GraphModule& out) {
        for (const Node& node : model.graph.nodes()) {
            m_progress.check();
            m_nodes[node.id()] = created(model, node, out.graph);
        }
        for (const Node& node : model.graph.nodes())
            out.graph.setMeta(m_nodes.at(node.id()), meta(*model.root, node.meta()));
    }

    std::string target(const GraphModule& model, const Node& node) {
        switch (node.op()) {
        case Op::Placeholder: {
            const std::size_t stars = std::min(node.target().find_first_not_of('*'), node.target().size());
            return node.target().substr(0, stars) + names.of(node.target().substr(stars), NameKind::Input);
        }
        case Op::CallMethod: return names.unlessPublic(node.target(), NameKind::Function);
        case Op::CallModule:
        case Op::GetAttr: return path(*model.root, node.target());
        default: return node.target();
        }
    }

    NodeId created(const GraphModule& model, const Node& node, Graph& graph) {
        const CallablePtr callable = withoutName(node.callable(), names);
        const std::string to = target(model, node), name = nodeName(node, to, callable);
        const auto mapped = [&](NodeId id) { return m_nodes.at(id); };
        const bool takesEquation =
            node.target().ends_with("einsum") || node.target().find(".einsum.") != std::string::npos;
        std::vector<Argument> args;
        for (const Argument& arg : node.args()) args.push_back(withoutNames(arg, names, mapped, takesEquation));
        Kwargs kwargs;
        for (const auto& [key, value] : node.kwargs())
            kwargs.emplace_back(names.unlessPublic(key, NameKind::Input),
                                withoutNames(value, names, mapped, takesEquation));
        TypePtr type = withoutNames(node.type(), names);
        if (node.op() == Op::CallFunction)
            return graph.callFunction(callable, std::move(args), std::move(kwargs), name, std::move(type));
        return graph.createNode(node.op(), to, std::move(args), std::move(kwargs), name, std::move(type));
    }

    /// The name that follows from the new target, with the old number, where the old one followed from the old target.
    std::string nodeName(const Node& node, const std::string& to, const CallablePtr& callable) {
        if (node.op() == Op::Output) return node.name();
        const std::string old = derivedName(node.op(), node.target(), node.callable());
        const bool isDerived = node.name() == old || (node.name().starts_with(old + "_") &&
                                                      isNumber(std::string_view(node.name()).substr(old.size() + 1)));
        if (!isDerived) return names.of(node.name(), NameKind::Node);
        std::string name = derivedName(node.op(), to, callable) + node.name().substr(old.size());
        if (name != node.name()) names.lacks(node.name());
        return name;
    }

    MetaPtr meta(const Module& root, const NodeMeta& meta) {
        auto out = std::make_shared<NodeMeta>();
        out->wrapped = meta.wrapped, out->values = meta.values;
        for (ValueInfo& value : out->values)
            for (auto* sizes : {&value.sizes, &value.strides})
                for (std::string& size : *sizes) size = names.size(size);
        for (const ModuleFrame& frame : meta.moduleStack) {
            const std::string at = path(root, frame.path);
            std::string key = "L__self__" + at;
            std::replace(key.begin(), key.end(), '.', '_');
            out->moduleStack.push_back({key, at, names.type(frame.type)});
        }
        for (std::size_t at = 0; at < meta.stackTrace.size();) {
            const std::size_t end = std::min(meta.stackTrace.find('\n', at), meta.stackTrace.size());
            names.lacks(std::string_view(meta.stackTrace).substr(at, end - at));
            at = end + 1;
        }
        for (const auto& [key, value] : meta.other) names.lacks(value);
        return out;
    }

    std::shared_ptr<const Origin> origin(const GraphModule& model, const GraphModule& out) {
        if (const auto* form = dynamic_cast<const PytreeForm*>(model.origin.get())) return pytree(*form);
        const auto known = ExportedSignature::of(model);
        if (!known) return nullptr;
        auto signature = std::make_shared<ExportedSignature>();
        for (std::size_t i = 0; i < known->inputNames.size(); ++i)
            signature->inputNames.push_back(i < out.lifted.size() ? out.graph.node(out.lifted[i].node).name() : "");
        for (const auto& output : known->outputs) {
            const auto input = std::find(known->inputNames.begin(), known->inputNames.end(), output.target);
            const auto place = static_cast<std::size_t>(input - known->inputNames.begin());
            const bool isInput = place < known->inputNames.size() && !output.target.empty();
            signature->outputs.push_back(
                {output.kind, isInput ? signature->inputNames[place] : path(*model.root, output.target)});
        }
        for (const auto& range : known->ranges)
            signature->ranges.push_back({names.size(range.symbol), range.min, range.max});
        for (const std::string& name : known->argumentNames)
            signature->argumentNames.push_back(names.of(name, NameKind::Input));
        return signature;
    }

    std::shared_ptr<const Origin> pytree(const PytreeForm& form) {
        auto out = std::make_shared<PytreeForm>(form);
        const auto input = [&](std::string& name) {
            const std::size_t stars = std::min(name.find_first_not_of('*'), name.size());
            name = name.substr(0, stars) + names.of(name.substr(stars), NameKind::Input);
        };
        std::for_each(out->parameters.begin(), out->parameters.end(), input);
        std::for_each(out->inputs.begin(), out->inputs.end(), input);
        names.lacks(out->binding);
        out->binding.clear();
        const auto self = [](NodeId id) { return id; };
        out->inSpec = withoutNames(form.inSpec, names, self), out->outSpec = withoutNames(form.outSpec, names, self);
        return out;
    }

    static constexpr int kMostNested = 100;
    const Progress& m_progress;
    OtherWeights m_weights;
    std::unordered_map<const Module*, std::shared_ptr<Module>> m_modules;
    std::unordered_map<NodeId, NodeId> m_nodes;
    std::unordered_set<std::string> m_read; ///< paths that the graph reads
    int m_depth = 0;
};

} // namespace

AnonymousModel anonymised(const GraphModule& model, const Progress& progress) {
    Anonymiser anonymiser(progress);
    auto out = anonymiser.run(model);
    return {std::move(out), std::move(anonymiser.names)};
}

} // namespace fx
