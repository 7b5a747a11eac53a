// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/argument.h"

#include "core/ir/callable.h"

#include <cmath>

namespace fx {

// Containers nest at most kMaxArgumentDepth deep (every reader enforces it), so recursion here is bounded.

Argument Argument::tuple(std::vector<Argument> items) { return Sequence{Sequence::Kind::Tuple, std::move(items), {}}; }
Argument Argument::list(std::vector<Argument> items) { return Sequence{Sequence::Kind::List, std::move(items), {}}; }
Argument Argument::dict(std::vector<std::pair<Argument, Argument>> items) { return Dict{std::move(items)}; }
Argument Argument::slice(Argument start, Argument stop, Argument step) {
    return Slice{std::move(start), std::move(stop), std::move(step)};
}
Argument Argument::dtype(std::string_view torchName) {
    return TorchConstant{TorchConstant::Kind::Dtype, std::string(torchName)};
}

const Sequence* Argument::asTuple() const {
    const auto* sequence = as<Sequence>();
    return sequence && sequence->kind != Sequence::Kind::List ? sequence : nullptr;
}
const Sequence* Argument::asList() const {
    const auto* sequence = as<Sequence>();
    return sequence && sequence->kind == Sequence::Kind::List ? sequence : nullptr;
}

namespace {
bool same(const CallablePtr& a, const CallablePtr& b) { return a == b || (a && b && *a == *b); }
bool sameNumber(double a, double b) {
    return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b);
}

struct Equal {
    template<class A, class B> bool operator()(const A&, const B&) const { return false; }
    bool operator()(std::monostate, std::monostate) const { return true; }
    bool operator()(EllipsisValue, EllipsisValue) const { return true; }
    bool operator()(bool a, bool b) const { return a == b; }
    bool operator()(std::int64_t a, std::int64_t b) const { return a == b; }
    bool operator()(double a, double b) const { return sameNumber(a, b); }
    bool operator()(NodeId a, NodeId b) const { return a == b; }
    template<class T> bool operator()(const Argument::Box<T>& a, const Argument::Box<T>& b) const {
        return a == b || equal(*a, *b);
    }

    static bool equal(const std::string& a, const std::string& b) { return a == b; }
    static bool equal(const BigInt& a, const BigInt& b) { return a.digits == b.digits; }
    static bool equal(const Complex& a, const Complex& b) { return sameNumber(a.re, b.re) && sameNumber(a.im, b.im); }
    static bool equal(const Bytes& a, const Bytes& b) { return a.data == b.data; }
    static bool equal(const Sequence& a, const Sequence& b) {
        return a.kind == b.kind && same(a.type, b.type) && a.items == b.items;
    }
    static bool equal(const Dict& a, const Dict& b) { return a.items == b.items; }
    static bool equal(const Slice& a, const Slice& b) {
        return a.start == b.start && a.stop == b.stop && a.step == b.step;
    }
    static bool equal(const Range& a, const Range& b) {
        return a.start == b.start && a.stop == b.stop && a.step == b.step;
    }
    static bool equal(const Device& a, const Device& b) { return a.type == b.type && a.index == b.index; }
    static bool equal(const TorchConstant& a, const TorchConstant& b) { return a.kind == b.kind && a.name == b.name; }
    static bool equal(const Symbolic& a, const Symbolic& b) { return a.expression == b.expression; }
    static bool equal(const EnumMember& a, const EnumMember& b) { return same(a.type, b.type) && a.member == b.member; }
    static bool equal(const CallableValue& a, const CallableValue& b) { return same(a.callable, b.callable); }
    static bool equal(const OpaqueObject& a, const OpaqueObject& b) {
        return a.typeName == b.typeName && a.repr == b.repr && a.origin.index == b.origin.index;
    }
};
} // namespace

bool Argument::operator==(const Argument& other) const { return std::visit(Equal{}, m_value, other.m_value); }

void forEachNode(const Argument& argument, const std::function<void(NodeId)>& visit) {
    if (argument.isNode()) {
        visit(argument.node());
    } else if (const auto* sequence = argument.as<Sequence>()) {
        for (const auto& item : sequence->items) forEachNode(item, visit);
    } else if (const auto* dict = argument.as<Dict>()) {
        for (const auto& [key, value] : dict->items) forEachNode(value, visit);
    } else if (const auto* slice = argument.as<Slice>()) {
        forEachNode(slice->start, visit);
        forEachNode(slice->stop, visit);
        forEachNode(slice->step, visit);
    }
}

bool holdsNode(const Argument& argument) {
    bool found = false;
    forEachNode(argument, [&](NodeId) { found = true; });
    return found;
}

Argument mapNodes(const Argument& argument, const std::function<Argument(NodeId)>& map) {
    if (argument.isNode()) return map(argument.node());
    if (!holdsNode(argument)) return argument;
    if (const auto* sequence = argument.as<Sequence>()) {
        Sequence copy{sequence->kind, {}, sequence->type};
        copy.items.reserve(sequence->items.size());
        for (const auto& item : sequence->items) copy.items.push_back(mapNodes(item, map));
        return copy;
    }
    if (const auto* dict = argument.as<Dict>()) {
        Dict copy;
        for (const auto& [key, value] : dict->items) copy.items.emplace_back(key, mapNodes(value, map));
        return copy;
    }
    const auto& slice = *argument.as<Slice>();
    return Argument::slice(mapNodes(slice.start, map), mapNodes(slice.stop, map), mapNodes(slice.step, map));
}

std::vector<Argument> mapNodes(const std::vector<Argument>& arguments, const std::function<Argument(NodeId)>& map) {
    std::vector<Argument> out;
    out.reserve(arguments.size());
    for (const Argument& argument : arguments) out.push_back(mapNodes(argument, map));
    return out;
}

Kwargs mapNodes(const Kwargs& arguments, const std::function<Argument(NodeId)>& map) {
    Kwargs out;
    for (const auto& [name, argument] : arguments) out.emplace_back(name, mapNodes(argument, map));
    return out;
}

} // namespace fx
