// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/io/ir_json/same_model.h"

#include "core/module/exported_signature.h"

#include <algorithm>
#include <map>

using namespace fx;

namespace {

struct Different {
    std::string what;
};

void check(bool same, const std::string& what) {
    if (!same) throw Different{what};
}

template<class List, class Same> bool sameLists(const List& a, const List& b, const Same& same) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool sameCallable(const CallablePtr& a, const CallablePtr& b) {
    if (!a || !b) return a == b;
    return a->kind == b->kind && a->module == b->module && a->name == b->name && a->qualifiedName == b->qualifiedName &&
           a->repr == b->repr && a->fromTorch == b->fromTorch && a->opaque == b->opaque;
}

bool sameType(const TypePtr& a, const TypePtr& b) {
    if (!a || !b) return a == b;
    return a->kind == b->kind && a->module == b->module && a->name == b->name && a->fromTorch == b->fromTorch &&
           sameLists(a->args, b->args, sameType);
}

bool sameFrame(const ModuleFrame& a, const ModuleFrame& b) {
    return a.key == b.key && a.path == b.path && a.type == b.type;
}

bool sameInfo(const ValueInfo& a, const ValueInfo& b) {
    return a.dtype == b.dtype && a.sizes == b.sizes && a.strides == b.strides && a.device == b.device &&
           a.isTensor == b.isTensor && a.requiresGrad == b.requiresGrad;
}

bool sameWarning(const Warning& a, const Warning& b) {
    return a.what.code() == b.what.code() && a.what.text() == b.what.text() && a.node == b.node &&
           a.modulePath == b.modulePath && a.where == b.where;
}

void compareMeta(const NodeMeta& a, const NodeMeta& b, const std::string& node) {
    check(sameLists(a.moduleStack, b.moduleStack, sameFrame), node + ": module stack");
    check(a.stackTrace == b.stackTrace, node + ": stack trace");
    check(sameLists(a.values, b.values, sameInfo), node + ": values");
    check(a.wrapped == b.wrapped && a.other == b.other, node + ": other metadata");
}

/// The callables inside an argument, which Argument's comparison takes by their qualified name only.
void collect(const Argument& argument, std::vector<CallablePtr>& out) {
    if (const auto* sequence = argument.as<Sequence>()) {
        if (sequence->type) out.push_back(sequence->type);
        for (const Argument& item : sequence->items) collect(item, out);
    } else if (const auto* dict = argument.as<Dict>()) {
        for (const auto& [key, value] : dict->items) {
            collect(key, out);
            collect(value, out);
        }
    } else if (const auto* function = argument.as<CallableValue>()) {
        out.push_back(function->callable);
    } else if (const auto* member = argument.as<EnumMember>()) {
        out.push_back(member->type);
    }
}

/// Opaque objects without their place in the file they came from, which only that file can tell.
Argument withoutOrigins(const Argument& argument) {
    if (const auto* object = argument.as<OpaqueObject>()) return OpaqueObject{object->typeName, object->repr, {}};
    if (const auto* sequence = argument.as<Sequence>()) {
        Sequence copy{sequence->kind, {}, sequence->type};
        for (const Argument& item : sequence->items) copy.items.push_back(withoutOrigins(item));
        return copy;
    }
    if (const auto* dict = argument.as<Dict>()) {
        Dict copy;
        for (const auto& [key, value] : dict->items)
            copy.items.emplace_back(withoutOrigins(key), withoutOrigins(value));
        return copy;
    }
    if (const auto* slice = argument.as<Slice>())
        return Argument::slice(withoutOrigins(slice->start), withoutOrigins(slice->stop), withoutOrigins(slice->step));
    return argument;
}

void compareArguments(const Argument& a, const Argument& b, const std::string& where) {
    check(withoutOrigins(a) == withoutOrigins(b), where + ": argument");
    std::vector<CallablePtr> inA, inB;
    collect(a, inA);
    collect(b, inB);
    check(sameLists(inA, inB, sameCallable), where + ": callable in an argument");
}

void compareGraphs(const Graph& a, const Graph& b, const std::string& path) {
    const auto orderA = a.order(), orderB = b.order();
    check(orderA.size() == orderB.size(), path + ": number of nodes");
    std::map<std::uint32_t, NodeId> twin;
    for (std::size_t i = 0; i < orderA.size(); ++i) twin[index(orderA[i])] = orderB[i];
    const auto mapped = [&](const Argument& argument) {
        return mapNodes(argument, [&](NodeId id) { return Argument(twin.at(index(id))); });
    };
    for (std::size_t i = 0; i < orderA.size(); ++i) {
        const Node &left = a.node(orderA[i]), &right = b.node(orderB[i]);
        const std::string where = path + " node " + left.name();
        check(left.name() == right.name(), where + ": name " + right.name());
        check(left.op() == right.op() && left.target() == right.target(), where + ": op or target " + right.target());
        check(sameCallable(left.callable(), right.callable()), where + ": callable");
        check(sameType(left.type(), right.type()), where + ": type");
        check(left.args().size() == right.args().size() && left.kwargs().size() == right.kwargs().size(),
              where + ": number of arguments");
        for (std::size_t k = 0; k < left.args().size(); ++k)
            compareArguments(mapped(left.args()[k]), right.args()[k], where);
        for (std::size_t k = 0; k < left.kwargs().size(); ++k) {
            check(left.kwargs()[k].first == right.kwargs()[k].first, where + ": keyword");
            compareArguments(mapped(left.kwargs()[k].second), right.kwargs()[k].second, where);
        }
        std::vector<NodeId> users;
        for (const NodeId user : left.users()) users.push_back(twin.at(index(user)));
        check(users == std::vector<NodeId>(right.users().begin(), right.users().end()), where + ": order of users");
        compareMeta(left.meta(), right.meta(), where);
    }
    check(a.names().differences(b.names()).empty(), path + ": names");
}

std::vector<std::byte> content(const Storage& storage) {
    std::vector<std::byte> bytes(storage.byteCount());
    storage.read(0, bytes);
    return bytes;
}

/// Walks two module trees side by side; whatever is met again must be the twin of what was met first.
class Trees {
public:
    void compareGraphModules(const GraphModule& a, const GraphModule& b, const std::string& path) {
        compareGraphs(a.graph, b.graph, path);
        check(a.className == b.className && a.tracerClass == b.tracerClass && a.producer == b.producer &&
                  a.modelName == b.modelName && a.modelNames == b.modelNames,
              path + ": class, producer or model");
        check(a.notLoadable == b.notLoadable && sameLists(a.warnings, b.warnings, sameWarning), path + ": warnings");
        const auto sameInput = [&](const LiftedInput& x, const LiftedInput& y) {
            return x.kind == y.kind && x.path == y.path && a.graph.node(x.node).name() == b.graph.node(y.node).name();
        };
        check(sameLists(a.lifted, b.lifted, sameInput), path + ": signature");
        compareExported(ExportedSignature::of(a), ExportedSignature::of(b), path);
        check(a.subgraphs.size() == b.subgraphs.size(), path + ": subgraphs");
        for (std::size_t i = 0; i < a.subgraphs.size(); ++i) {
            check(a.subgraphs[i].first == b.subgraphs[i].first, path + ": name of a subgraph");
            compareGraphModules(*a.subgraphs[i].second, *b.subgraphs[i].second, path + "/" + a.subgraphs[i].first);
        }
        compareMembers(*a.root, *b.root, path);
    }

private:
    static void compareExported(const std::shared_ptr<const ExportedSignature>& a,
                                const std::shared_ptr<const ExportedSignature>& b, const std::string& path) {
        if (!a || !b) return check(!a == !b, path + ": exported or not");
        const auto sameOutput = [](const auto& x, const auto& y) { return x.kind == y.kind && x.target == y.target; };
        const auto sameRange = [](const auto& x, const auto& y) {
            return x.symbol == y.symbol && x.min == y.min && x.max == y.max;
        };
        check(sameLists(a->outputs, b->outputs, sameOutput), path + ": outputs");
        check(sameLists(a->ranges, b->ranges, sameRange), path + ": ranges");
        check(a->argumentNames == b->argumentNames && a->inputSpecification == b->inputSpecification &&
                  a->outputSpecification == b->outputSpecification,
              path + ": specifications");
    }

    void compareModules(const Module* a, const Module* b, const std::string& path) {
        if (!a || !b) return check(a == b, path + ": None");
        const auto [known, isNew] = m_twins.emplace(a, b);
        check(known->second == b, path + ": sharing of modules");
        if (!isNew) return;
        compareMembers(*a, *b, path);
        check(!a->graphModule == !b->graphModule, path + ": graph module");
        if (a->graphModule) compareGraphModules(*a->graphModule, *b->graphModule, path);
    }

    void compareMembers(const Module& a, const Module& b, const std::string& path) {
        check(a.className == b.className && a.classModule == b.classModule && a.training == b.training,
              path + ": class or mode");
        compareSlots(a.parameters, b.parameters, path);
        compareSlots(a.buffers, b.buffers, path);
        check(a.attributes.size() == b.attributes.size(), path + ": settings");
        for (std::size_t i = 0; i < a.attributes.size(); ++i) {
            const auto& [name, left] = a.attributes[i];
            const auto& right = b.attributes[i].second;
            check(name == b.attributes[i].first && left.index() == right.index(), path + "." + name + ": setting");
            if (const auto* value = std::get_if<Argument>(&left))
                compareArguments(*value, std::get<Argument>(right), path + "." + name);
            else compareTensors(std::get<TensorPtr>(left), std::get<TensorPtr>(right), path + "." + name);
        }
        check(a.children.size() == b.children.size(), path + ": children");
        for (std::size_t i = 0; i < a.children.size(); ++i) {
            check(a.children[i].name == b.children[i].name, path + ": name of a child");
            compareModules(a.children[i].module.get(), b.children[i].module.get(), path + "." + a.children[i].name);
        }
    }

    void compareSlots(const std::vector<Module::Slot>& a, const std::vector<Module::Slot>& b, const std::string& path) {
        check(a.size() == b.size(), path + ": number of tensors");
        for (std::size_t i = 0; i < a.size(); ++i) {
            check(a[i].name == b[i].name && a[i].persistent == b[i].persistent,
                  path + ": name or persistence of a tensor");
            compareTensors(a[i].tensor, b[i].tensor, path + "." + a[i].name);
        }
    }

    void compareTensors(const TensorPtr& a, const TensorPtr& b, const std::string& path) {
        if (!a || !b) return check(a == b, path + ": None");
        const auto [known, isNew] = m_twins.emplace(a.get(), b.get());
        check(known->second == b.get(), path + ": sharing of tensors");
        if (!isNew) return;
        check(a->dtype == b->dtype && a->dtypeText == b->dtypeText && a->sizes == b->sizes &&
                  a->strides == b->strides && a->offset == b->offset,
              path + ": geometry");
        check(a->device == b->device && a->layout == b->layout && a->requiresGrad == b->requiresGrad &&
                  a->isParameter == b->isParameter,
              path + ": flags");
        check(a->conjugate == b->conjugate && a->negative == b->negative &&
                  a->quantizer.has_value() == b->quantizer.has_value(),
              path + ": flags");
        if (a->quantizer) {
            const Quantizer &x = *a->quantizer, &y = *b->quantizer;
            check(x.perChannel == y.perChannel && x.scale == y.scale && x.zeroPoint == y.zeroPoint && x.axis == y.axis,
                  path + ": quantiser");
            compareTensors(x.scales, y.scales, path + ".scales");
            compareTensors(x.zeroPoints, y.zeroPoints, path + ".zero_points");
        }
        compareStorages(a->storage, b->storage, path);
    }

    void compareStorages(const std::shared_ptr<const Storage>& a, const std::shared_ptr<const Storage>& b,
                         const std::string& path) {
        if (!a || !b) return check(a == b, path + ": storage");
        const auto [known, isNew] = m_twins.emplace(a.get(), b.get());
        check(known->second == b.get(), path + ": sharing of memory");
        if (!isNew) return;
        check(a->expressionSource() == b->expressionSource() && a->byteCount() == b->byteCount(),
              path + ": expression or size");
        if (!a->isExpression()) check(content(*a) == content(*b), path + ": bytes");
    }

    std::map<const void*, const void*> m_twins;
};
} // namespace

std::string firstDifference(const GraphModule& a, const GraphModule& b) {
    try {
        Trees().compareGraphModules(a, b, "");
    } catch (const Different& difference) { return difference.what; }
    return {};
}
