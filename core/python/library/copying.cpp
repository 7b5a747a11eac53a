// SPDX-License-Identifier: GPL-3.0-or-later
// copy.copy and copy.deepcopy.
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;

namespace {
/// Returns true if a class of the program among `type` and its bases defines a method.
bool hasOwn(const Class& type, std::string_view name) {
    return std::any_of(type.order.begin(), type.order.end(), [&](const Class* each) {
        const Value* member = each->file && !each->file->path.empty() ? each->members.find(name) : nullptr;
        return member && !member->isNone();
    });
}
/// Returns true if the class of an object defines methods of pickle's protocol.
bool isRebuilt(const Instance& object) {
    if (object.module || object.type->isEnum) return false;
    static constexpr std::string_view kNames[] = {"__reduce_ex__", "__reduce__",     "__getstate__",
                                                  "__setstate__",  "__getnewargs__", "__getnewargs_ex__"};
    return std::any_of(std::begin(kNames), std::end(kNames),
                       [&](std::string_view name) { return hasOwn(*object.type, name); });
}

/// One call of `copy.copy` or `copy.deepcopy`. The memo is Python's: what was copied is in it by its `id`, so that
/// calls of the program's own `__deepcopy__` share it.
class Copier {
public:
    /// `plain` is copied without its own method, which asks for this copy.
    Copier(Interpreter& in, bool isDeep, const Value& memo, const void* plain)
        : m_in(in), m_isDeep(isDeep), m_memo(memo), m_plain(plain) {}

    Value copy(const Value& value, bool isTop) {
        if (value.kind != Value::Kind::Object || (!isTop && !m_isDeep)) return value;
        const void* const address = addressOf(value);
        if (const Value known = knownAt(address); known.isSet()) return known;
        const trace::Deeper deeper;
        trace::charge(4);
        if (const auto* list = value.as<List>()) return copied(*list);
        if (const auto* tuple = value.as<Tuple>()) return copied(*tuple);
        if (const auto* set = value.as<Set>()) return copied(*set);
        if (const auto* dict = value.as<Dict>()) return copied(*dict);
        if (const auto* slice = value.as<SliceObject>(); slice && m_isDeep) {
            SliceObject* made = m_in.heap().make<SliceObject>();
            made->start = copy(slice->start, false), made->stop = copy(slice->stop, false);
            made->step = copy(slice->step, false);
            return keep(value, address, made);
        }
        if (const auto* method = value.as<Method>(); method && m_isDeep) {
            Method* made = m_in.heap().make<Method>();
            made->function = method->function, made->self = copy(method->self, false);
            return keep(value, address, made);
        }
        if (const auto* tensor = tensorIn(value))
            return keep(value, address, m_in.traced({trace::TensorValue{copyOf(*tensor), tensor->shapeKnown}}));
        if (isProxy(value) && m_isDeep) return copiedProxy(value);
        requireCopied(value);
        auto* instance = value.as<Instance>();
        if (!instance || instance->type->isEnum) return value;
        if (m_isDeep && address != m_plain)
            if (const Value own = ownMethod(*instance, value); own.isSet())
                return keep(value, address, m_in.call(own, {m_memo}));
        return isRebuilt(*instance) ? rebuilt(value) : copied(*instance, value);
    }

private:
    static const void* addressOf(const Value& value) {
        const auto* tensor = tensorIn(value);
        return tensor ? static_cast<const void*>(&tensor->object()) : value.object;
    }
    static Value idOf(const void* address) {
        return {static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address))};
    }
    Value knownAt(const void* address) {
        auto* memo = m_isDeep ? plain(m_memo).as<Dict>() : nullptr;
        const Value* known = memo ? memo->find(idOf(address)) : nullptr;
        return known ? *known : Value();
    }
    /// Remembers a copy, and keeps what was copied alive: `memo[id(memo)]` is a list of these.
    Value keep(const Value& of, const void* address, const Value& made) {
        auto* memo = m_isDeep ? plain(m_memo).as<Dict>() : nullptr;
        if (!memo || made.sameAs(of)) return made;
        memo->set(idOf(address), made);
        const Value own = idOf(m_memo.object);
        const Value* kept = memo->find(own);
        List* all = kept ? kept->as<List>() : nullptr;
        if (!all) memo->set(own, all = m_in.listOf({}));
        all->items.push_back(of);
        return made;
    }
    /// Raises TypeError for objects that Python cannot copy, such as generators.
    void requireCopied(const Value& value) {
        const auto* iterator = value.as<Iterator>();
        if (iterator && iterator->type != "generator")
            throw CannotFollow(Message("trace.not_computed", {{"function", "copy(" + m_in.typeName(value) + ")"}}));
        if (iterator || value.as<DictView>() || value.as<SourceFile>() || value.as<Space>())
            m_in.raise("TypeError", "cannot pickle '" + m_in.typeName(value) + "' object");
    }
    /// `x.__deepcopy__`, which an object may also have by itself or from `__getattr__`.
    Value ownMethod(Instance& instance, const Value& value) {
        const bool mayHave = instance.type->find("__deepcopy__") || instance.attributes.find("__deepcopy__") ||
                             (hasOwn(*instance.type, "__getattr__") && !instance.module);
        return mayHave ? m_in.softAttribute(value, "__deepcopy__") : Value();
    }
    Value rebuilt(const Value& value) {
        const Value function = *m_in.run(*m_in.ownFile("copy")).names.find("_rebuilt");
        return m_in.call(function, {value, m_isDeep ? m_memo : Value::none()});
    }
    TensorPtr copyOf(const trace::TensorValue& value) {
        m_in.tensors().checkData(value);
        if (m_isDeep && !m_in.gradients.isLeaf(value.object()))
            m_in.raise("RuntimeError",
                       "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                       "protocol at the moment.  If you were attempting to deepcopy a module, this may "
                       "be because of a torch.nn.utils.weight_norm usage, see "
                       "https://github.com/pytorch/pytorch/pull/103001");
        if (m_in.machine) m_in.machine->settle(value.tensor); // what the program wrote to it so far
        const TensorPtr copy = std::make_shared<TensorRef>(*trace::objectOf(value));
        if (!m_isDeep) m_in.tensors().share(copy, value.tensor);
        return copy;
    }

    /// torch.fx copies the whole graph with it, so that what is done with the copy is not in the graph that is traced.
    Value copiedProxy(const Value& proxy) {
        if (proxy.get<Traced>().value.asLazy())
            m_in.raise("AssertionError", "'node' not in new_dict during proxy unpickling");
        Opaque* made = m_in.heap().make<Opaque>("copy.deepcopy()");
        made->lostBy = "a deep copy of a Proxy is of a copy of the graph";
        return made;
    }
    Value copied(const List& list) {
        List* made = m_in.listOf({});
        const Value of(const_cast<List*>(&list));
        keep(of, of.object, made);
        trace::chargeBytes(list.items.size() * sizeof(Value));
        for (std::size_t i = 0; i < list.items.size(); ++i) // a method of an item may change it
            made->items.push_back(copy(list.items[i], false));
        return made;
    }
    Value copied(const Tuple& tuple) {
        const Value of(const_cast<Tuple*>(&tuple));
        Values items;
        for (const Value& each : tuple.items) items.push_back(copy(each, false));
        if (const Value known = knownAt(of.object); known.isSet()) return known; // itself in it
        const bool isSame = std::equal(items.begin(), items.end(), tuple.items.begin(),
                                       [](const Value& a, const Value& b) { return a.sameAs(b); });
        if (isSame) return of;
        Tuple* made = m_in.tuple(std::move(items));
        made->fields = tuple.fields, made->isSize = tuple.isSize;
        return keep(of, of.object, made);
    }
    Value copied(const Set& set) {
        const Value of(const_cast<Set*>(&set));
        if (set.isFrozen && !m_isDeep) return of;
        Set* made = m_in.heap().make<Set>();
        if (!m_isDeep) made->merge(set);
        else
            for (const Value& key : set.keys()) made->add(copy(key, false));
        made->isFrozen = set.isFrozen;
        return keep(of, of.object, made);
    }
    Value copied(const Dict& dict) {
        const Value of(const_cast<Dict*>(&dict));
        Dict* made = m_in.heap().make<Dict>();
        keep(of, of.object, made);
        made->factory = dict.factory;
        made->isOrdered = dict.isOrdered;
        dict.forEach([&](const Value& key, const Value& each) { made->set(copy(key, false), copy(each, false)); });
        return made;
    }
    Value copied(Instance& instance, const Value& value) {
        Instance* made = m_in.heap().make<Instance>();
        keep(value, value.object, made);
        made->type = instance.type;
        if (const auto& construction = instance.construction)
            made->construction.reset(new Instance::Construction(*construction));
        made->payload = instance.payload.isSet() ? copy(instance.payload, true) : Value();
        const auto attributes = instance.attributes.items(); // which a method of one may change
        const Value* linked = instance.attributes.find("__dict__");
        const bool isItself = m_isDeep && linked && linked->sameAs(instance.payload); // CPython fills nothing then
        for (const auto& [key, each] : attributes)
            if (key != "__dict__" && !isItself) made->attributes.set(key, copy(each, false));
        if (instance.module) copyModule(*instance.module, *made);
        return made;
    }
    void copyModule(const Module& module, Instance& made) {
        const std::size_t held = module.parameters.size() + module.buffers.size();
        trace::charge(8 + held);
        trace::chargeBytes(2 * sizeof(Module) + held * (sizeof(Module::Slot) + sizeof(TensorRef)) +
                           module.children.size() * sizeof(Module::Child) +
                           module.attributes.size() * sizeof(*module.attributes.begin()));
        made.module = std::make_shared<Module>(module);
        m_in.modules().instances().set(made.module.get(), &made);
        m_in.modules().all().push_back(&made);
        if (!m_isDeep) return;
        for (auto* slots : {&made.module->parameters, &made.module->buffers})
            for (auto& slot : *slots)
                if (slot.tensor) slot.tensor = twinOf(slot.tensor);
        for (auto& attribute : made.module->attributes)
            if (auto* tensor = std::get_if<TensorPtr>(&attribute.second)) *tensor = twinOf(*tensor);
        for (auto& child : made.module->children)
            if (child.module) {
                const Value part = copy(m_in.modules().wrapModule(child.module), false);
                const auto* copied = part.as<Instance>();
                if (!copied || !copied->module)
                    throw CannotFollow(Message("trace.not_computed", {{"function", "__deepcopy__"}}));
                child.module = copied->module;
            }
    }
    /// The copy of a parameter or buffer: one for all places that share it.
    TensorPtr twinOf(const TensorPtr& tensor) {
        if (const Value known = knownAt(tensor.get()); known.isSet())
            if (const auto* twin = tensorIn(known)) return twin->tensor;
        TensorPtr twin = copyOf(trace::TensorValue{tensor});
        keep(Value::none(), tensor.get(), m_in.traced({trace::TensorValue{twin, true}}));
        return twin;
    }

    Interpreter& m_in;
    bool m_isDeep;
    Value m_memo;
    const void* m_plain;
};
} // namespace

void Library::addCopies() {
    const auto add = [&](const char* name, Native::Body body) {
        m_in.builtins().names().set(name, native(name, std::move(body)));
    };
    add("__copy__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        // (value, memo, is plain); without a memo it is shallow
        const bool isDeep = args.size() > 1;
        const void* const plain = args.size() > 2 ? args[0].object : nullptr;
        return Copier(in, isDeep, isDeep ? args[1] : Value::none(), plain).copy(args.at(0), true);
    });
    add("__has_own__", [](Interpreter& in, Values& args, Keywords&) -> Value { // (object, name of a method)
        const auto* object = args.at(0).as<Instance>();
        return {object && hasOwn(*object->type, in.str(args.at(1)))};
    });
}

} // namespace fx::python
