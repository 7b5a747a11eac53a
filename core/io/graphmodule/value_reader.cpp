// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/value_reader.h"

#include "core/ir/callable.h"

namespace fx {

namespace {

constexpr std::size_t kMaxSize = 100'000; ///< values in one attribute, written out in full

bool isSequence(PickleKind kind) { return kind == PickleKind::Tuple || kind == PickleKind::List; }

std::shared_ptr<const Callable> namedClass(std::string module, std::string name) {
    auto result = std::make_shared<Callable>();
    result->kind = Callable::Kind::Class;
    result->qualifiedName = module + "." + name;
    result->repr = "<class '" + result->qualifiedName + "'>";
    result->fromTorch = module.starts_with("torch");
    result->module = std::move(module);
    result->name = std::move(name);
    return result;
}

} // namespace

ValueReader::Sized ValueReader::read(PickleRef ref, int depth) {
    switch (m_arena.kind(ref)) { // nothing to share or to find again
    case PickleKind::None:
    case PickleKind::Bool:
    case PickleKind::Int:
    case PickleKind::Float: return readNew(ref, depth);
    default: break;
    }
    if (const auto done = m_done.find(ref); done != m_done.end()) return done->second;
    if (depth > kMaxArgumentDepth) return {opaque(ref, "nested too deeply"), 1};
    if (!m_busy.insert(ref).second) return {opaque(ref, "contains itself"), 1};
    Sized result = readNew(ref, depth);
    m_busy.erase(ref);
    if (result.size > kMaxSize) result = {opaque(ref, "too large to show"), 1};
    m_done.emplace(ref, result); // each object is read once, so that shared parts cannot multiply the work
    return result;
}

ValueReader::Sized ValueReader::readNew(PickleRef ref, int depth) {
    switch (m_arena.kind(ref)) {
    case PickleKind::None: return {};
    case PickleKind::Bool: return {m_arena.boolean(ref)};
    case PickleKind::Int: return {m_arena.integer(ref)};
    case PickleKind::BigInt: {
        std::string digits = m_arena.bigIntDigits(ref);
        if (digits.starts_with("0x")) return {opaque(ref, "too large to show")};
        return {BigInt{std::move(digits)}};
    }
    case PickleKind::Float: return {m_arena.real(ref)};
    case PickleKind::String: return {m_arena.text(ref)};
    case PickleKind::Bytes: return {Bytes{std::string(m_arena.text(ref))}};
    case PickleKind::Tuple:
    case PickleKind::List: return sequence(ref, depth);
    case PickleKind::Dict: return dict(ref, depth);
    case PickleKind::Global: return {global(ref)};
    case PickleKind::Reduce:
    case PickleKind::NewObj: return call(ref, depth);
    default: return {opaque(ref)};
    }
}

std::vector<Argument> ValueReader::readAll(const std::vector<PickleRef>& refs, int depth, std::size_t& size) {
    std::vector<Argument> values;
    for (const PickleRef ref : refs) {
        if (size > kMaxSize) break;
        Sized item = read(ref, depth);
        size += item.size;
        values.push_back(std::move(item.value));
    }
    return values;
}

ValueReader::Sized ValueReader::sequence(PickleRef ref, int depth) {
    std::size_t size = 1;
    std::vector<Argument> items = readAll(m_arena.items(ref), depth + 1, size);
    return {m_arena.is(ref, PickleKind::Tuple) ? Argument::tuple(std::move(items)) : Argument::list(std::move(items)),
            size};
}

ValueReader::Sized ValueReader::dict(PickleRef ref, int depth) {
    std::size_t size = 1;
    const std::vector<Argument> flat = readAll(m_arena.pairs(ref), depth + 1, size);
    std::vector<std::pair<Argument, Argument>> items;
    for (std::size_t i = 0; i + 1 < flat.size(); i += 2) items.emplace_back(flat[i], flat[i + 1]);
    return {Argument::dict(std::move(items)), size};
}

ValueReader::Sized ValueReader::call(PickleRef ref, int depth) {
    const std::string name = m_arena.qualifiedName(m_arena.callee(ref));
    if (name == "torch.utils._pytree.TreeSpec" || name == "torch.utils._pytree.LeafSpec") return treeSpec(ref, depth);
    if (name == "collections.OrderedDict") return dict(ref, depth);
    const bool plain =
        m_arena.is(ref, PickleKind::Reduce) && m_arena.state(ref) == kNoPickle && m_arena.itemCount(ref) == 0;
    if (!plain || !isSequence(m_arena.kind(m_arena.args(ref)))) return {opaque(ref)};
    std::size_t size = 1;
    const std::vector<Argument> args = readAll(m_arena.items(m_arena.args(ref)), depth + 1, size);
    const auto isInt = [&](std::size_t i) { return args[i].as<std::int64_t>() != nullptr; };
    const auto text = [&](std::size_t i) { return i < args.size() ? args[i].as<std::string>() : nullptr; };
    if (name == "torch.Size" && args.size() == 1 && args[0].asTuple()) return {args[0], size};
    if (name == "builtins.slice" && args.size() == 3) return {Argument::slice(args[0], args[1], args[2]), size};
    if (name == "builtins.range" && args.size() == 3 && isInt(0) && isInt(1) && isInt(2))
        return {Range{*args[0].as<std::int64_t>(), *args[1].as<std::int64_t>(), *args[2].as<std::int64_t>()}};
    if (name == "builtins.complex" && args.size() == 2 && args[0].as<double>() && args[1].as<double>())
        return {Complex{*args[0].as<double>(), *args[1].as<double>()}};
    if (name == "torch.device" && text(0))
        return {Device{*text(0), args.size() > 1 && isInt(1) ? static_cast<int>(*args[1].as<std::int64_t>()) : -1}};
    if (name == "torch.serialization._get_layout" && text(0))
        return {TorchConstant{TorchConstant::Kind::Layout, *text(0)}};
    if (name == "builtins.bytes" && args.empty()) return {Bytes{}};
    if (name == "_codecs.encode" && text(0)) {
        std::string bytes; // Latin-1 text: one code point, one byte
        for (std::size_t i = 0; i < text(0)->size(); ++i) {
            const auto lead = static_cast<unsigned char>((*text(0))[i]);
            bytes += static_cast<char>(lead < 0x80 ? lead : lead << 6 | ((*text(0))[++i] & 0x3F));
        }
        return {Bytes{std::move(bytes)}, size};
    }
    return {opaque(ref)};
}

ValueReader::Sized ValueReader::treeSpec(PickleRef ref, int depth) {
    static const std::shared_ptr<const Callable> type = namedClass("torch.utils._pytree", "TreeSpec");
    const PickleRef state = m_arena.state(ref);
    std::vector<PickleRef> parts;
    if (state != kNoPickle && m_arena.is(state, PickleKind::List)) parts = m_arena.items(state);
    PickleRef fields = state; // before 2.2 a dict, in between (None, dict)
    if (state != kNoPickle && m_arena.is(state, PickleKind::Tuple) && m_arena.itemCount(state) == 2)
        fields = m_arena.items(state)[1];
    if (parts.empty() && fields != kNoPickle) {
        for (const char* name : {"type", "context", "children_specs"}) parts.push_back(m_arena.find(fields, name));
        if (parts[2] == kNoPickle) parts[2] = m_arena.find(fields, "_children");
    }
    if (parts.size() < 3 || parts[0] == kNoPickle || parts[1] == kNoPickle || parts[2] == kNoPickle)
        return {opaque(ref)};
    parts.resize(3);
    std::size_t size = 1;
    Sequence spec{Sequence::Kind::NamedTuple, readAll(parts, depth + 1, size), type};
    return {Argument(std::move(spec)), size};
}

Argument ValueReader::global(PickleRef ref) const {
    const std::string name = m_arena.qualifiedName(ref);
    if (name == "builtins.Ellipsis") return EllipsisValue{};
    if (dtypeFromName(name)) return Argument::dtype(name);
    for (const char* scheme : {"torch.per_tensor_affine", "torch.per_channel_affine", "torch.per_tensor_symmetric",
                               "torch.per_channel_symmetric", "torch.per_channel_affine_float_qparams"})
        if (name == scheme) return TorchConstant{TorchConstant::Kind::QScheme, name};
    Callable callable;
    const std::size_t dot = name.rfind('.');
    callable.module = name.substr(0, dot);
    callable.name = name.substr(dot + 1);
    callable.qualifiedName = name;
    callable.kind = !callable.name.empty() && callable.name[0] >= 'A' && callable.name[0] <= 'Z'
                        ? Callable::Kind::Class
                        : Callable::Kind::Function;
    callable.repr = (callable.kind == Callable::Kind::Class ? "<class '" : "<function ") + name +
                    (callable.kind == Callable::Kind::Class ? "'>" : ">");
    callable.fromTorch = name.starts_with("torch.");
    callable.opaque = true;
    return CallableValue{std::make_shared<const Callable>(std::move(callable))};
}

Argument ValueReader::opaque(PickleRef ref, std::string_view why) const {
    OpaqueObject object;
    object.origin = m_file.placeOf(ref);
    object.repr = opaqueRepr(ref);
    if (!why.empty()) object.repr += " (" + std::string(why) + ")";
    const PickleKind kind = m_arena.kind(ref);
    const bool isCall = kind == PickleKind::Reduce || kind == PickleKind::NewObj || kind == PickleKind::NewObjEx;
    if (m_file.isTensor(ref)) object.typeName = "torch.Tensor";
    else if (isCall) object.typeName = m_arena.qualifiedName(m_arena.callee(ref));
    else if (kind == PickleKind::Set) object.typeName = "set";
    else if (kind == PickleKind::FrozenSet) object.typeName = "frozenset";
    else if (kind == PickleKind::ByteArray) object.typeName = "bytearray";
    else if (kind == PickleKind::Persistent) object.typeName = "torch.storage.UntypedStorage";
    else object.typeName = kind == PickleKind::Dict ? "dict" : kind == PickleKind::Tuple ? "tuple" : "list";
    if (object.typeName == "builtins.set" || object.typeName == "builtins.frozenset") object.typeName.erase(0, 9);
    // A TorchScript object says its class in its state: (content, "__torch__.torch.classes...").
    if (object.typeName == "torch.ScriptObject" && m_arena.state(ref) != kNoPickle &&
        m_arena.is(m_arena.state(ref), PickleKind::Tuple)) {
        const std::vector<PickleRef> state = m_arena.items(m_arena.state(ref));
        if (!state.empty() && m_arena.is(state.back(), PickleKind::String))
            object.typeName = m_arena.text(state.back());
    }
    return object;
}

std::string ValueReader::opaqueRepr(PickleRef ref) const {
    switch (m_arena.kind(ref)) {
    case PickleKind::Reduce:
        if (m_file.isTensor(ref)) return "<tensor>";
        [[fallthrough]];
    case PickleKind::NewObj:
    case PickleKind::NewObjEx: {
        const std::string name = m_arena.qualifiedName(m_arena.callee(ref));
        return "<" + (name.empty() ? "unknown" : name) + " object>";
    }
    case PickleKind::Set:
    case PickleKind::FrozenSet: return "<set of " + std::to_string(m_arena.itemCount(ref)) + ">";
    case PickleKind::Tuple:
    case PickleKind::List: return "<sequence of " + std::to_string(m_arena.itemCount(ref)) + ">";
    case PickleKind::Dict: return "<dict of " + std::to_string(m_arena.itemCount(ref)) + ">";
    default: return "<object>";
    }
}

} // namespace fx
