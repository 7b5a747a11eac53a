// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_path.h"
#include "core/io/torchscript/folding.h"
#include "core/io/torchscript/importer.h"

#include <algorithm>

namespace fx::script {
namespace {

constexpr std::size_t kMostNodes = 2'000'000;   ///< followed, with those of unrolled loops
constexpr std::size_t kMostItems = 1'000'000;   ///< of one list, and of all that are kept for rolling back
constexpr std::int64_t kMostNumber = 1LL << 31; ///< of ranges, so that nothing overflows

int deepest(const std::vector<Symbol>& items) {
    int depth = 0;
    for (const Symbol& item : items) depth = std::max(depth, item.isContainer() ? item.depth : 0);
    return depth;
}

/// A list, tuple or dict with the symbols of its items: those of a script can be changed.
Symbol containerWith(const Argument& literal, int depth) {
    if (depth > 20) throw Unsupported(Message("script.too_deep"));
    const Sequence* sequence = literal.asList() ? literal.asList() : literal.asTuple();
    const auto* dict = literal.as<Dict>();
    if (!sequence && !dict) return Symbol::of(literal);
    Symbol out;
    out.is = dict ? Symbol::Is::Dict : literal.asList() ? Symbol::Is::List : Symbol::Is::Tuple;
    out.items = std::make_shared<std::vector<Symbol>>();
    if (sequence)
        for (const Argument& item : sequence->items) out.items->push_back(containerWith(item, depth + 1));
    if (dict)
        for (const auto& [key, item] : dict->items)
            out.items->push_back(Symbol::of(key)), out.items->push_back(containerWith(item, depth + 1));
    out.depth = deepest(*out.items) + 1;
    return out;
}

} // namespace

const Symbol& Importer::value(const Frame& frame, std::uint32_t id) const {
    const Symbol& symbol = frame.values[id];
    if (symbol.is == Symbol::Is::Unset) throw Unsupported(Message("script.index"));
    return current(symbol);
}

/// What a list or dict is now, after blocks that changed it.
const Symbol& Importer::current(const Symbol& symbol) const {
    const Symbol* now = &symbol;
    for (auto known = m_changed.end(); (known = m_changed.find(Identity(*now))) != m_changed.end();)
        now = &known->second;
    return *now;
}

void Importer::countNode() {
    if (++m_followed > kMostNodes) throw Error(ErrorKind::Refused, Message("script.too_long", {{"count", kMostNodes}}));
    if (m_followed % 1024 == 0) m_progress.check();
}

void Importer::follow(Frame& frame, const Block& block) {
    for (const Node& node : block.nodes) {
        countNode();
        follow(frame, node);
    }
}

void Importer::follow(Frame& frame, const Node& node) {
    const Kind& kind = kindOf(node);
    if (kind.isPrim() && followPrim(frame, node)) return;
    if (kind.is("aten::warn")) return; // it only writes to standard error
    if (kind.is("aten::wait")) return pass(frame, node);
    if (element(frame, node) || newDict(frame, node) || dictView(frame, node) || contains(frame, node) ||
        concatenation(frame, node) || range(frame, node) || listMethod(frame, node))
        return;
    record(frame, node);
}

bool Importer::followPrim(Frame& frame, const Node& node) {
    const std::string& name = kindOf(node).name;
    if (name == "prim::Constant") constant(frame, node);
    else if (name == "prim::GetAttr") getAttribute(frame, node);
    else if (name == "prim::CallMethod") callMethod(frame, node);
    else if (name == "prim::CallFunction") callFunction(frame, node);
    else if (name == "prim::ListConstruct") construct(frame, node, Symbol::Is::List);
    else if (name == "prim::TupleConstruct") construct(frame, node, Symbol::Is::Tuple);
    else if (name == "prim::DictConstruct") construct(frame, node, Symbol::Is::Dict);
    else if (name == "prim::ListUnpack" || name == "prim::TupleUnpack") unpack(frame, node);
    else if (name == "prim::If") branch(frame, node);
    else if (name == "prim::Loop") loop(frame, node);
    else if (name == "prim::fork") fork(frame, node);
    else if (name == "prim::isinstance") return isInstance(frame, node);
    else if (name == "prim::NumToTensor") {
        Symbol number = value(frame, node.inputs.at(0));
        number.asTensor = true;
        slot(frame, node.outputs.at(0)) = std::move(number);
    } else if (name == "prim::unchecked_cast" || name == "prim::unchecked_unwrap_optional") {
        Symbol same = value(frame, node.inputs.at(0));
        same.maybeNone = false;
        same.type = &typeOf(frame, node.outputs[0]);
        slot(frame, node.outputs.at(0)) = std::move(same);
    } else if (name == "prim::Uninitialized") slot(frame, node.outputs.at(0)) = Symbol::of({});
    else if (name == "prim::RaiseException") throw Unsupported(Message("script.raises"));
    else if (name == "prim::SetAttr") setAttribute(frame, node);
    else if (name == "prim::CreateObject") createObject(frame, node);
    else if (name == "prim::Enter" || name == "prim::Exit") return context(frame, node);
    else return false;
    return true;
}

void Importer::constant(Frame& frame, const Node& node) {
    Symbol& result = slot(frame, node.outputs.at(0));
    const Type& type = typeOf(frame, node.outputs[0]);
    if (type.functionIndex >= 0) {
        result.is = Symbol::Is::Function, result.index = type.functionIndex;
    } else if (node.constant >= 0 &&
               std::holds_alternative<TensorPtr>(m_program.constants[static_cast<std::size_t>(node.constant)])) {
        result.is = Symbol::Is::Tensor, result.path = constantPath(node.constant);
    } else if (node.constant >= 0) {
        result = Symbol::of(std::get<Argument>(m_program.constants[static_cast<std::size_t>(node.constant)]));
        if (result.value.as<OpaqueObject>() && !result.enumMember())
            throw Unsupported(Message("script.constant", {{"type", type.text}}));
        if (result.value.asList() || result.value.asTuple()) result = containerWith(result.value, 0);
    } else result = Symbol::of({});
}

void Importer::getAttribute(Frame& frame, const Node& node) {
    const Symbol& holder = value(frame, node.inputs.at(0));
    if (holder.is == Symbol::Is::Instance) {
        Symbol held = attributeOf(holder, node.name);
        if (held.is == Symbol::Is::Unset) throw Unsupported(Message("script.index"));
        slot(frame, node.outputs.at(0)) = std::move(held);
        return;
    }
    if (holder.is != Symbol::Is::Object) throw Unsupported(Message("script.unknown_object"));
    if (const auto known = m_set.find({holder.object, node.name}); known != m_set.end()) {
        Symbol held = known->second;
        slot(frame, node.outputs.at(0)) = std::move(held);
        return;
    }
    noteMode(*holder.object, holder.path, node.name);
    const Object::Field* field = holder.object->field(node.name);
    Symbol result;
    result.path = joinedPath(holder.path, node.name);
    if (!field && m_leaves.packsAs(*holder.object, node.name)) {
        result.is = Symbol::Is::Tensor; // an object, which the graph reads as it reads tensors
        slot(frame, node.outputs.at(0)) = std::move(result);
        return;
    }
    if (const auto* inner = field ? std::get_if<const Object*>(field) : nullptr) {
        result.is = Symbol::Is::Object, result.object = *inner;
    } else if (const auto* tensor = field ? std::get_if<TensorPtr>(field) : nullptr) {
        if (holder.object->isTorchBind() || (*tensor)->dtype == DType::Other)
            throw Unsupported(Message("script.object", {{"class", holder.object->className}}));
        result.is = Symbol::Is::Tensor;
    } else if (const auto* list = field ? std::get_if<std::vector<TensorPtr>>(field) : nullptr) {
        result = tensorList(*holder.object, holder.path, *list,
                            [this](const TensorPtr& each) { return constantPath(each); });
    } else {
        const Argument* literal = holder.object->setting(m_program, node.name);
        result = literal ? Symbol::of(*literal) : Symbol();
        if (!literal || (literal->as<OpaqueObject>() && !result.enumMember()))
            throw Unsupported(Message("script.object", {{"class", holder.object->className + "." + node.name}}));
        if (literal->as<Dict>() || literal->asList() || literal->asTuple())
            result = containerOf(*holder.object, node.name, *literal);
    }
    slot(frame, node.outputs.at(0)) = std::move(result);
}

/// The container that is an attribute of a module, as far as the script has filled it.
Symbol Importer::containerOf(const Object& object, const std::string& name, const Argument& literal) {
    Symbol& known = m_containers[{&object, name}];
    if (known.is != Symbol::Is::Unset) return known;
    known = containerWith(literal, 0);
    known.ofModule = true;
    return known;
}

void Importer::construct(Frame& frame, const Node& node, Symbol::Is kind) {
    // A graph has no dicts whose keys are nodes (torch.fx refuses them): such a dict is a block of its own.
    for (std::size_t i = 0; kind == Symbol::Is::Dict && i < node.inputs.size(); i += 2)
        if (!value(frame, node.inputs[i]).literal()) return keepAsBlock(frame, node);
    Symbol result;
    result.is = kind;
    result.items = std::make_shared<std::vector<Symbol>>();
    for (const std::uint32_t id : node.inputs) result.items->push_back(value(frame, id));
    result.depth = deepest(*result.items) + 1;
    if (result.depth > 20) throw Unsupported(Message("script.too_deep"));
    slot(frame, node.outputs.at(0)) = std::move(result);
}

/// An element of what a node gives; one of what is known.
Symbol Importer::part(const Symbol& whole, std::int64_t index, bool maybeNone) {
    if (whole.isContainer()) {
        const auto size = static_cast<std::int64_t>(whole.items->size());
        if (index < 0) index += size;
        if (index < 0 || index >= size) throw Unsupported(Message("script.raises"));
        return (*whole.items)[static_cast<std::size_t>(index)];
    }
    if (!whole.isNode()) throw Unsupported(Message("script.unknown_object"));
    Symbol out;
    out.is = Symbol::Is::Part, out.value = whole.value, out.index = index, out.maybeNone = maybeNone;
    return out;
}

void Importer::unpack(Frame& frame, const Node& node) {
    Symbol whole = value(frame, node.inputs.at(0));
    if (whole.isNode()) whole = Symbol::of(argument(frame, whole));
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        slot(frame, node.outputs[i]) =
            part(whole, static_cast<std::int64_t>(i), typeOf(frame, node.outputs[i]).isOptional());
}

/// `a[i]` of tuples, lists and dicts whose elements are known, and their length.
bool Importer::element(Frame& frame, const Node& node) {
    const std::string& name = kindOf(node).name;
    const bool isLength = name == "aten::len";
    if (name != "aten::__getitem__" && name != "prim::TupleIndex" && name != "prim::TupleSlice" && !isLength)
        return false;
    Symbol whole = value(frame, node.inputs.at(0));
    Symbol& result = slot(frame, node.outputs.at(0));
    if (isLength) {
        if (!whole.isContainer()) return false;
        const auto size = static_cast<std::int64_t>(whole.items->size());
        result = Symbol::of(Argument(whole.is == Symbol::Is::Dict ? size / 2 : size));
        return true;
    }
    if (name == "prim::TupleSlice") {
        if (!whole.isContainer() || !node.bounds) throw Unsupported(Message("script.unknown_object"));
        const auto size = static_cast<std::int64_t>(whole.items->size());
        const auto from = std::clamp<std::int64_t>(node.bounds->first, 0, size),
                   to = std::clamp<std::int64_t>(node.bounds->second, from, size);
        Symbol slice;
        slice.is = Symbol::Is::Tuple, slice.depth = whole.depth;
        slice.items = std::make_shared<std::vector<Symbol>>(whole.items->begin() + from, whole.items->begin() + to);
        result = std::move(slice);
        return true;
    }
    const Symbol& key = value(frame, node.inputs.at(1));
    const auto* index = key.as<std::int64_t>();
    if (whole.is == Symbol::Is::Dict) {
        for (std::size_t i = 0; i + 1 < whole.items->size(); i += 2)
            if ((*whole.items)[i].isSame(key)) return result = (*whole.items)[i + 1], true;
        return false;
    }
    if (whole.isContainer() && index) return result = part(whole, *index, false), true;
    if (whole.isNode() && name == "prim::TupleIndex" && index) {
        whole = Symbol::of(argument(frame, whole));
        return result = part(whole, *index, typeOf(frame, node.outputs[0]).isOptional()), true;
    }
    return false;
}

/// `OrderedDict()`, or one of pairs that are known.
bool Importer::newDict(Frame& frame, const Node& node) {
    if (!kindOf(node).is("aten::dict") || node.inputs.size() > 1 || node.outputs.size() != 1) return false;
    Symbol dict;
    dict.is = Symbol::Is::Dict, dict.depth = 1;
    dict.items = std::make_shared<std::vector<Symbol>>();
    const Symbol* pairs = node.inputs.empty() ? nullptr : &value(frame, node.inputs[0]);
    if (pairs && pairs->is != Symbol::Is::List) return false;
    for (std::size_t i = 0; pairs && i < pairs->items->size(); ++i) {
        const Symbol& pair = (*pairs->items)[i];
        if (pair.is != Symbol::Is::Tuple || pair.items->size() != 2 || !pair.items->front().literal()) return false;
        for (std::size_t known = 0; known < dict.items->size(); known += 2)
            if ((*dict.items)[known].isSame(pair.items->front())) return false;
        dict.items->insert(dict.items->end(), pair.items->begin(), pair.items->end());
    }
    dict.depth = deepest(*dict.items) + 1;
    slot(frame, node.outputs[0]) = std::move(dict);
    return true;
}

/// `dict.values()` and the like, where the dict is known.
bool Importer::dictView(Frame& frame, const Node& node) {
    const std::string& name = kindOf(node).name;
    const bool keys = name != "aten::values", values = name != "aten::keys";
    if ((name != "aten::keys" && name != "aten::values" && name != "aten::items") || node.outputs.size() != 1)
        return false;
    const Symbol& dict = value(frame, node.inputs.at(0));
    if (dict.is != Symbol::Is::Dict) return false;
    std::vector<Symbol> items;
    for (std::size_t i = 0; i + 1 < dict.items->size(); i += 2) {
        const Symbol &key = (*dict.items)[i], &item = (*dict.items)[i + 1];
        if (!(keys && values)) {
            items.push_back(keys ? key : item);
            continue;
        }
        Symbol pair;
        pair.is = Symbol::Is::Tuple;
        pair.items = std::make_shared<std::vector<Symbol>>(std::vector<Symbol>{key, item});
        pair.depth = deepest(*pair.items) + 1;
        items.push_back(std::move(pair));
    }
    Symbol list = Symbol::listOf(std::move(items));
    list.depth = deepest(*list.items) + 1;
    slot(frame, node.outputs[0]) = std::move(list);
    return true;
}

/// `key in dict` and `item in list`, where that is known.
bool Importer::contains(Frame& frame, const Node& node) {
    if (!kindOf(node).is("aten::__contains__") || node.inputs.size() != 2) return false;
    const Symbol &whole = value(frame, node.inputs[0]), &key = value(frame, node.inputs[1]);
    if (!whole.isContainer() || key.asTensor) return false;
    const bool isDict = whole.is == Symbol::Is::Dict;
    bool known = true;
    for (std::size_t i = 0; i < whole.items->size(); i += isDict ? 2 : 1) {
        const Symbol& other = (*whole.items)[i];
        const bool isNumber = other.as<double>() || key.as<double>(); // nan, and 1.0 in [1]
        if (!isNumber && !other.asTensor && other.isSame(key) && (isDict || other.literal()))
            return slot(frame, node.outputs.at(0)) = Symbol::of(Argument(true)), true;
        known = known && !isNumber && !other.asTensor && other.literal() && key.literal();
    }
    if (known) slot(frame, node.outputs.at(0)) = Symbol::of(Argument(false));
    return known;
}

/// How often a loop over `range(from, to, step)` runs, and the number of a turn, where that is known.
bool Importer::range(Frame& frame, const Node& node) {
    const bool isLength = kindOf(node).is("aten::__range_length");
    if ((!isLength && !kindOf(node).is("aten::__derive_index")) || node.inputs.size() != 3) return false;
    std::int64_t numbers[3] = {};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto* number = value(frame, node.inputs[i]).as<std::int64_t>();
        if (!number || *number > kMostNumber || *number < -kMostNumber) return false;
        numbers[i] = *number;
    }
    const auto [first, second, step] = numbers;
    std::int64_t result = second + first * step; // of turn `first`
    if (isLength) {
        if (step == 0) return false;
        const std::int64_t distance = step > 0 ? second - first : first - second;
        result = distance > 0 ? (distance - 1) / std::abs(step) + 1 : 0;
    }
    slot(frame, node.outputs.at(0)) = Symbol::of(Argument(result));
    return true;
}

/// `a + b` and `list(a)` of lists whose items are known.
bool Importer::concatenation(Frame& frame, const Node& node) {
    if (kindOf(node).is("aten::list") && node.inputs.size() == 1 && node.outputs.size() == 1) {
        const Symbol& whole = value(frame, node.inputs[0]);
        if (whole.is != Symbol::Is::List) return false;
        Symbol copy = Symbol::listOf(*whole.items);
        copy.depth = whole.depth;
        slot(frame, node.outputs[0]) = std::move(copy);
        return true;
    }
    if (!kindOf(node).is("aten::add") || node.inputs.size() != 2 || node.outputs.size() != 1) return false;
    const Symbol &first = value(frame, node.inputs[0]), &second = value(frame, node.inputs[1]);
    if (first.is != Symbol::Is::List || second.is != Symbol::Is::List) return false;
    if (first.items->size() + second.items->size() > kMostItems) throw Unsupported(Message("script.too_many_items"));
    Symbol both = Symbol::listOf(*first.items);
    both.items->insert(both.items->end(), second.items->begin(), second.items->end());
    both.depth = std::max(first.depth, second.depth);
    slot(frame, node.outputs[0]) = std::move(both);
    return true;
}

/// Notes what a list or dict is, so that it can be that again.
void Importer::beforeChange(const Symbol& container, std::optional<std::size_t> index) {
    Change change{container.items, container.items->size(), {}};
    if (index) change.old.emplace(*index, (*container.items)[*index]);
    m_changes.push_back(std::move(change));
}

/// As `beforeChange`, for changes that move items: all of them are kept, which is bounded for whole scripts.
void Importer::beforeMoves(const Symbol& list) {
    if (m_kept + list.items->size() > kMostItems) throw Unsupported(Message("script.too_many_items"));
    m_kept += list.items->size();
    m_changes.push_back({list.items, list.items->size(), {}, *list.items});
}

/// A part that could not be followed leaves nothing.
void Importer::rollBack(const Mark& mark) {
    m_module->graph = mark.graph;
    m_changed = mark.changed, m_set = mark.set;
    m_given = mark.given, m_shared = mark.shared;
    for (; m_changes.size() > mark.changes; m_changes.pop_back()) {
        Change& last = m_changes.back();
        if (last.all) {
            m_kept -= last.all->size();
            *last.items = std::move(*last.all);
            continue;
        }
        last.items->resize(last.size);
        if (last.old) (*last.items)[last.old->first] = std::move(last.old->second);
    }
}

/// `dict[key] = item`. A dict of a module may get entries that it lacks: a later run finds what this one computes.
void Importer::setEntry(const Symbol& dict, const Symbol& key, const Symbol& item) {
    std::vector<Symbol>& items = *dict.items;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        const bool same = items[i].isSame(key);
        if (same ? dict.ofModule : !items[i].literal() || !key.literal())
            throw Unsupported(Message("script.changes_list"));
        if (!same) continue;
        beforeChange(dict, i + 1);
        items[i + 1] = item;
        return;
    }
    if (dict.ofModule) ++m_report.caches;
    beforeChange(dict);
    items.push_back(key), items.push_back(item);
}

/// `list.insert(i, x)`, `pop`, `reverse` and `clear` of a known list; false if it is not known what they do.
bool Importer::rearrange(Frame& frame, const Node& node, const Symbol& list) {
    const std::string& name = kindOf(node).name;
    std::vector<Symbol>& items = *list.items;
    const bool isInsert = name == "aten::insert", isPop = name == "aten::pop";
    const bool isPlain = name == "aten::reverse" || name == "aten::clear";
    if (list.is != Symbol::Is::List || !(isInsert || isPop || isPlain)) return false;
    const auto* index = isPlain ? nullptr : value(frame, node.inputs.at(1)).as<std::int64_t>();
    if (!isPlain && !index) return false;
    const auto size = static_cast<std::int64_t>(items.size());
    std::int64_t place = index && *index < 0 ? *index + size : index ? *index : 0;
    if (isInsert) place = std::clamp<std::int64_t>(place, 0, size);
    else if (isPop && (place < 0 || place >= size)) throw Unsupported(Message("script.raises"));
    const Symbol given = isInsert ? value(frame, node.inputs.at(2)) : Symbol();
    if (isInsert && place == size) beforeChange(list);
    else if (isPop && place == size - 1) beforeChange(list, static_cast<std::size_t>(place));
    else beforeMoves(list);
    if (isInsert) items.insert(items.begin() + place, given);
    else if (isPop) {
        slot(frame, node.outputs.at(0)) = items[static_cast<std::size_t>(place)];
        items.erase(items.begin() + place);
    } else if (name == "aten::reverse") std::reverse(items.begin(), items.end());
    else items.clear();
    frame.values[node.inputs[0]].depth = deepest(items) + 1;
    return true;
}

/// `list.append(x)` and the like: the list is known, so it is changed now.
bool Importer::listMethod(Frame& frame, const Node& node) {
    const std::string& name = kindOf(node).name;
    if (!changesContainer(name) || node.inputs.empty()) return false;
    Symbol list = value(frame, node.inputs[0]);
    if (m_shared.contains(Identity(list)) || (list.ofModule && name != "aten::_set_item"))
        throw Unsupported(Message("script.changes_list"));
    if (!list.isContainer()) {
        if (typeOf(frame, node.inputs[0]).isTensor()) return false;
        return keepChange(frame, node), true;
    }
    std::vector<Symbol>& items = *list.items;
    if (items.size() > kMostItems) throw Unsupported(Message("script.too_many_items"));
    if (rearrange(frame, node, list)) return true;
    if (name == "aten::append") {
        const Symbol item = value(frame, node.inputs.at(1));
        if (item.isContainer() && item.depth >= 20) throw Unsupported(Message("script.too_deep"));
        beforeChange(list);
        items.push_back(item);
        list.depth = std::max(list.depth, deepest(items) + 1);
        frame.values[node.inputs[0]].depth = list.depth;
    } else if (name == "aten::extend" || name == "aten::add_") {
        const Symbol more = value(frame, node.inputs.at(1));
        if (more.is != Symbol::Is::List) return keepChange(frame, node), true;
        const std::vector<Symbol> copy = *more.items;
        beforeChange(list);
        items.insert(items.end(), copy.begin(), copy.end());
    } else if (name == "aten::_set_item" && list.is == Symbol::Is::Dict) {
        if (!value(frame, node.inputs.at(1)).literal()) return keepChange(frame, node), true;
        setEntry(list, value(frame, node.inputs.at(1)), value(frame, node.inputs.at(2)));
    } else if (name == "aten::update" && list.is == Symbol::Is::Dict) {
        const Symbol more = value(frame, node.inputs.at(1));
        if (more.is != Symbol::Is::Dict) return keepChange(frame, node), true;
        const std::vector<Symbol> pairs = *more.items;
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) setEntry(list, pairs[i], pairs[i + 1]);
    } else if (const auto* index =
                   name == "aten::_set_item" ? value(frame, node.inputs.at(1)).as<std::int64_t>() : nullptr;
               index && *index >= 0 && *index < static_cast<std::int64_t>(items.size())) {
        beforeChange(list, static_cast<std::size_t>(*index));
        items[static_cast<std::size_t>(*index)] = value(frame, node.inputs.at(2));
    } else return keepChange(frame, node), true;
    if (!node.outputs.empty()) slot(frame, node.outputs[0]) = list;
    return true;
}

} // namespace fx::script
