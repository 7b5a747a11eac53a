// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/script_objects.h"

#include "core/diag/error.h"
#include "core/io/graphmodule/packed_params.h"
#include "core/torchscript/leaf_quantised.h"

namespace fx::script {

namespace {
constexpr int kMostObjects = 200; ///< of objects in objects
}

const Object::Field* Object::field(std::string_view name) const {
    for (const auto& [known, value] : fields)
        if (known == name) return &value;
    return nullptr;
}

const Argument* Object::setting(const Program& program, std::string_view name) const {
    if (const Field* known = field(name)) return std::get_if<Argument>(known);
    if (!type) return nullptr;
    for (const auto& [known, place] : type->constants)
        if (known == name) return std::get_if<Argument>(&program.constants[static_cast<std::size_t>(place)]);
    return nullptr;
}

TensorPtr Object::tensor(std::string_view name) const {
    const Field* known = field(name);
    const auto* tensor = known ? std::get_if<TensorPtr>(known) : nullptr;
    return tensor ? *tensor : nullptr;
}

TensorPtr Object::tensorAt(std::string_view path) const {
    const Object* holder = this;
    for (std::size_t dot = path.find('.'); holder && dot != path.npos; dot = path.find('.')) {
        const Field* inner = holder->field(path.substr(0, dot));
        const auto* object = inner ? std::get_if<const Object*>(inner) : nullptr;
        holder = object ? *object : nullptr;
        path.remove_prefix(dot + 1);
    }
    return holder ? holder->tensor(path) : nullptr;
}

const std::string* Object::nameOf(const TensorRef& tensor) const {
    if (isSparse(tensor)) return nullptr;
    for (const auto& [name, value] : fields)
        if (const auto* own = std::get_if<TensorPtr>(&value))
            if ((*own)->storage == tensor.storage && (*own)->offset == tensor.offset && (*own)->sizes == tensor.sizes &&
                (*own)->strides == tensor.strides)
                return &name;
    return nullptr;
}

Objects::Objects(std::shared_ptr<TorchFile> file, const Program& program)
    : m_file(std::move(file)), m_program(program), m_values(*m_file) {
    const PickleRef top = m_file->arena().root();
    if (!m_file->arena().is(top, PickleKind::NewObj)) fail(Message("script.no_object"));
    m_root = object(top, 0);
}

void Objects::fail(const Message& what) const {
    throw Error(ErrorKind::File, what).in(m_file->path()).at(m_file->pickleName());
}

const Object* Objects::object(PickleRef ref, int depth) {
    const auto [known, isNew] = m_known.try_emplace(ref, nullptr);
    if (!isNew) {
        if (!known->second) fail(Message("script.cyclic"));
        return known->second;
    }
    if (depth > kMostObjects) fail(Message("script.too_deep"));
    const PickleArena& arena = m_file->arena();
    Object made;
    made.className = arena.qualifiedName(arena.callee(ref));
    made.type = m_program.findClass(made.className);
    const PickleRef state = arena.state(ref);
    if (state != kNoPickle && !arena.is(state, PickleKind::Dict)) {
        made.packed = readPackedState(*m_file, made.className, state);
        if (!made.packed) made.fields = stateOfConvolution(made.className, state, depth);
        // Another object with __setstate__: what its state means only its code knows.
        if (made.fields.empty() && !made.packed)
            made.fields.emplace_back("__state__", Argument(OpaqueObject{made.className, "<state>", {}}));
    } else {
        for (const auto& [text, value] : textEntries(arena, state)) {
            const std::string name = attributeName(text);
            made.fields.emplace_back(name, field(value, made.type ? made.type->attribute(name) : nullptr, depth + 1));
        }
    }
    m_objects.push_back(std::move(made));
    return m_known[ref] = &m_objects.back();
}

/// The state of torch.ao.nn's quantised convolutions; empty for others.
std::vector<std::pair<std::string, Object::Field>> Objects::stateOfConvolution(const std::string& className,
                                                                               PickleRef state, int depth) {
    static constexpr std::string_view kNames[] = {
        "in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation",   "transposed", "output_padding",
        "groups",      "padding_mode", "weight",      "bias",   "scale",   "zero_point", "training"};
    const std::string type = plainClassName(className);
    const bool isConv = isQuantisedLeaf(type) && lastAtom(type).starts_with("Conv");
    if (!isConv || !m_file->arena().is(state, PickleKind::Tuple)) return {};
    const std::vector<PickleRef> items = m_file->arena().items(state);
    if (items.size() != std::size(kNames)) return {};
    std::vector<std::pair<std::string, Object::Field>> out;
    for (std::size_t i = 0; i < items.size(); ++i)
        out.emplace_back(std::string(kNames[i]), field(items[i], nullptr, depth + 1));
    return out;
}

Object::Field Objects::field(PickleRef ref, const Class::Attribute* declared, int depth) {
    const PickleArena& arena = m_file->arena();
    if (m_file->isTensor(ref)) return tensor(ref, declared);
    if (arena.is(ref, PickleKind::NewObj)) return object(ref, depth);
    if (const auto list = tensors(unwrapped(ref))) return *list;
    return literal(ref);
}

TensorPtr Objects::tensor(PickleRef ref, const Class::Attribute* declared) {
    const TensorPtr read = m_file->tensor(ref);
    const bool isParameter = declared && declared->kind == Class::Attribute::Kind::Parameter;
    if (!read->storage) return read;
    TensorPtr& known = m_tensors[{read->storage.get(), read->offset, read->sizes, read->strides, isParameter}];
    if (known) return known;
    if (!isParameter) return known = read;
    TensorRef parameter = *read;
    parameter.isParameter = true;
    return known = std::make_shared<const TensorRef>(std::move(parameter));
}

/// What is in the calls that TorchScript wraps typed containers in.
PickleRef Objects::unwrapped(PickleRef ref) const {
    const PickleArena& arena = m_file->arena();
    for (int wrappers = 0; arena.is(ref, PickleKind::Reduce) && wrappers < kMostObjects; ++wrappers) {
        const std::vector<PickleRef> args = arena.items(arena.args(ref));
        if (!arena.qualifiedName(arena.callee(ref)).starts_with("torch.jit._pickle.") || args.empty()) break;
        ref = args[0];
    }
    return ref;
}

std::optional<std::vector<TensorPtr>> Objects::tensors(PickleRef list) {
    if (!m_file->arena().is(list, PickleKind::List)) return std::nullopt;
    std::vector<TensorPtr> out;
    for (const PickleRef item : m_file->arena().items(list)) {
        if (!m_file->isTensor(item)) return std::nullopt;
        out.push_back(tensor(item, nullptr));
    }
    return out.empty() ? std::nullopt : std::optional(std::move(out));
}

/// A member of an enum is a call of its class with its value, which TorchScript writes without a tuple around it.
std::optional<Argument> Objects::enumMember(PickleRef ref) {
    const PickleArena& arena = m_file->arena();
    if (!arena.is(ref, PickleKind::Reduce)) return std::nullopt;
    const std::string type = arena.qualifiedName(arena.callee(ref));
    const PickleRef value = arena.args(ref);
    if (!type.starts_with("__torch__.") || arena.is(value, PickleKind::Tuple)) return std::nullopt;
    return script::enumMember(type, m_values.value(value));
}

/// A value whose containers have types in any depth: `{"a": build_intlist([1, 2])}`. Empty if it holds an object, or
/// more than `left` items.
std::optional<Argument> Objects::nested(PickleRef ref, int depth, std::size_t& left) {
    constexpr int kMostDepth = 20;
    if (depth > kMostDepth || left == 0) return std::nullopt;
    --left;
    ref = unwrapped(ref);
    const PickleArena& arena = m_file->arena();
    if (arena.is(ref, PickleKind::Dict)) {
        std::vector<std::pair<Argument, Argument>> entries;
        bool whole = true;
        arena.forEachPair(ref, [&](PickleRef key, PickleRef item) {
            auto first = whole ? nested(key, depth + 1, left) : std::nullopt;
            auto second = first ? nested(item, depth + 1, left) : std::nullopt;
            whole = second.has_value();
            if (whole) entries.emplace_back(*std::move(first), *std::move(second));
        });
        return whole ? std::optional(Argument::dict(std::move(entries))) : std::nullopt;
    }
    const bool isList = arena.is(ref, PickleKind::List);
    if (!isList && !arena.is(ref, PickleKind::Tuple)) {
        Argument value = m_values.value(ref);
        return value.as<OpaqueObject>() ? std::nullopt : std::optional(std::move(value));
    }
    std::vector<Argument> items;
    for (const PickleRef item : arena.items(ref)) {
        auto one = nested(item, depth + 1, left);
        if (!one) return std::nullopt;
        items.push_back(*std::move(one));
    }
    return isList ? Argument::list(std::move(items)) : Argument::tuple(std::move(items));
}

/// Numbers, texts and containers of them; what holds anything else is opaque as a whole.
Argument Objects::literal(PickleRef ref) {
    if (auto member = enumMember(ref)) return *std::move(member);
    std::size_t most = 100'000;
    if (auto value = nested(ref, 0, most)) return *std::move(value);
    Argument value = m_values.value(unwrapped(ref));
    std::vector<const Argument*> left = {&value};
    while (!left.empty()) {
        const Argument* next = left.back();
        left.pop_back();
        if (next->as<OpaqueObject>()) return Argument(OpaqueObject{"object", "<object>", {}});
        if (const auto* sequence = next->as<Sequence>())
            for (const Argument& item : sequence->items) left.push_back(&item);
        if (const auto* dict = next->as<Dict>())
            for (const auto& [key, item] : dict->items) left.push_back(&key), left.push_back(&item);
    }
    return value;
}

} // namespace fx::script
