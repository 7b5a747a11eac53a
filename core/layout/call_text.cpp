// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/call_text.h"

#include "core/ir/print.h"
#include "core/layout/card_text.h"
#include "core/ops/python_operators.h"

#include <algorithm>
#include <limits>

namespace fx {
namespace {

constexpr std::size_t kMostText = 64, kMostLeaf = 24;

/// Writes values as Python would, until the text is long enough; nested containers without recursion.
class ValueText {
public:
    ValueText(const Graph& graph, std::string_view box) : m_graph(graph), m_box(box) {}
    std::string text;

    bool full() const { return text.size() > kMostText; }
    void add(const Argument& value) {
        std::vector<Open> open;
        for (Item at{&value, nullptr}; !full();) {
            if (at.key) addLeaf(*at.key), text += ": ";
            if (begin(*at.value, open) == Begun::Leaf) addLeaf(*at.value);
            while (!open.empty() && open.back().next == open.back().size()) {
                if (open.back().close == ')' && open.back().size() == 1) text += ','; // a tuple of one
                text += open.back().close, open.pop_back();
            }
            if (open.empty()) return;
            if (open.back().next > 0) text += ", ";
            at = open.back().item(open.back().next++);
        }
    }
    /// What stands between the brackets of `x[…]`.
    void addIndex(const Argument& value) {
        const auto* tuple = value.asTuple();
        if (!tuple || tuple->items.empty()) return addIndexItem(value);
        for (std::size_t i = 0; i < tuple->items.size() && !full(); ++i) {
            if (i > 0) text += ", ";
            addIndexItem(tuple->items[i]);
        }
    }

private:
    enum class Begun { Leaf, Container };
    struct Item {
        const Argument *value, *key;
    };
    struct Open {
        const std::vector<Argument>* items;
        const std::vector<std::pair<Argument, Argument>>* pairs;
        char close;
        std::size_t next = 0;
        std::size_t size() const { return items ? items->size() : pairs->size(); }
        Item item(std::size_t i) const {
            return items ? Item{&(*items)[i], nullptr} : Item{&(*pairs)[i].second, &(*pairs)[i].first};
        }
    };
    Begun begin(const Argument& value, std::vector<Open>& open) {
        if (const auto* sequence = value.as<Sequence>()) {
            const bool list = sequence->kind == Sequence::Kind::List;
            text += list ? '[' : '(';
            open.push_back({&sequence->items, nullptr, list ? ']' : ')'});
        } else if (const auto* dict = value.as<Dict>()) {
            text += '{';
            open.push_back({nullptr, &dict->items, '}'});
        } else {
            return Begun::Leaf;
        }
        return Begun::Container;
    }
    void addIndexItem(const Argument& value) {
        const auto* slice = value.as<Slice>();
        if (!slice) return value.as<EllipsisValue>() ? void(text += "...") : add(value);
        if (!slice->start.isNone()) add(slice->start);
        text += ':';
        if (!slice->stop.isNone()) add(slice->stop);
        if (slice->step.isNone()) return;
        text += ':';
        add(slice->step);
    }
    void addLeaf(const Argument& value) {
        constexpr auto kEnd = std::numeric_limits<std::int64_t>::max(); // PyTorch's "to the end"
        const auto* string = value.as<std::string>();
        const auto* constant = value.as<TorchConstant>();
        if (value.isNode()) text += CardTexts::nameInside(m_graph.node(value.node()).name(), m_box);
        else if (string && string->size() > kMostLeaf) text += '\'' + string->substr(0, kMostLeaf) + "…'";
        else if (constant && constant->name.starts_with("torch.")) text += constant->name.substr(6);
        else if (const auto* number = value.as<std::int64_t>(); number && *number == kEnd) text += "end";
        else text += reprOf(m_graph, value);
    }
    const Graph& m_graph;
    std::string_view m_box;
};

/// At most `kMostText` bytes and the rest of a character.
std::string cut(std::string text) {
    if (text.size() <= kMostText) return text;
    std::size_t end = kMostText;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    text.resize(end);
    return text + "…";
}

bool holdsConstant(const Argument& value) {
    const auto* sequence = value.as<Sequence>();
    if (!sequence) return !value.isNode();
    return sequence->items.empty() || std::any_of(sequence->items.begin(), sequence->items.end(),
                                                  [](const Argument& item) { return !item.isNode(); });
}

/// Parameters that set where and how values are stored, or only affect speed.
bool isLeftOut(std::string_view parameter) {
    return parameter == "device" || parameter == "layout" || parameter == "pin_memory" || parameter == "non_blocking" ||
           parameter == "memory_format" || parameter == "cudnn_enable" || parameter == "cudnn_enabled";
}

bool isDefault(const Graph& graph, const Argument& value, std::string_view defaultText) {
    if (defaultText.empty()) return false;
    const auto same = [&](const Argument& item) {
        const std::string text = reprOf(graph, item);
        return text == defaultText || text + ".0" == defaultText || text == std::string(defaultText) + ".0";
    };
    if (same(value)) return true;
    const auto* sequence = value.as<Sequence>(); // a default of 1 stands for [1, 1]
    return sequence && !sequence->items.empty() && std::all_of(sequence->items.begin(), sequence->items.end(), same);
}

/// The arguments of a call that are worth showing.
class Constants {
public:
    Constants(const Graph& graph, const Node& node, const CallParameters& parameters, std::string_view box)
        : m_graph(graph), m_parameters(parameters), m_box(box) {
        const auto& args = node.args();
        // Sizes of view(batch, -1) come from other nodes as well.
        const bool method = node.op() == Op::CallMethod;
        const bool sizes = method && std::any_of(args.begin() + std::min<std::ptrdiff_t>(1, std::ssize(args)),
                                                 args.end(), holdsConstant);
        for (std::size_t i = 0; i < args.size(); ++i) {
            if (method && i == 0) continue;
            if (args[i].isNode() && sizes) m_shown.push_back({{}, &args[i]});
            else addPositional(args[i], i);
        }
        for (const auto& [name, value] : node.kwargs())
            if (holdsConstant(value) && !isLeftOut(name) && !isDefault(graph, value, defaultOf(name)))
                m_shown.push_back({name, &value});
    }
    std::string text() const {
        if (m_shown.empty()) return {};
        ValueText out(m_graph, m_box);
        const auto* sequence = m_shown[0].value->as<Sequence>();
        if (m_shown.size() == 1 && m_shown[0].name.empty() && sequence && !sequence->items.empty()) {
            for (const Argument& item : sequence->items) separate(out), out.add(item);
        } else {
            for (const Shown& shown : m_shown) {
                if (out.full()) break;
                separate(out);
                if (!shown.name.empty()) out.text += std::string(shown.name) + '=';
                const auto* list = shown.value->asList(); // PyTorch takes [64] and 64 alike
                out.add(shown.name.empty() && list && list->items.size() == 1 ? list->items[0] : *shown.value);
            }
        }
        return '(' + cut(std::move(out.text)) + ')';
    }

private:
    struct Shown {
        std::string_view name; ///< empty: by position
        const Argument* value;
    };
    static void separate(ValueText& out) {
        if (!out.text.empty()) out.text += ", ";
    }
    void addPositional(const Argument& value, std::size_t i) {
        const bool known = i < m_parameters.size();
        const bool left =
            !holdsConstant(value) ||
            (known && (isLeftOut(m_parameters[i].first) || isDefault(m_graph, value, m_parameters[i].second)));
        if (left) m_skipped = m_skipped || i > 0; // what follows would be read in the wrong place
        else m_shown.push_back({m_skipped && known ? std::string_view(m_parameters[i].first) : "", &value});
    }
    std::string_view defaultOf(std::string_view name) const {
        const auto found = std::find_if(m_parameters.begin(), m_parameters.end(),
                                        [&](const auto& parameter) { return parameter.first == name; });
        return found == m_parameters.end() ? std::string_view() : std::string_view(found->second);
    }

    const Graph& m_graph;
    const CallParameters& m_parameters;
    std::string_view m_box;
    std::vector<Shown> m_shown;
    bool m_skipped = false;
};

} // namespace

std::string operatorText(const Graph& graph, const Node& node, std::string_view box) {
    const Callable& callable = *node.callable();
    const auto& args = node.args();
    ValueText out(graph, box);
    if (callable.qualifiedName == "getattr" && args.size() >= 2 && args[1].as<std::string>()) {
        out.add(args[0]);
        out.text += '.' + *args[1].as<std::string>();
        return cut(std::move(out.text));
    }
    if (callable.module != "_operator") return {};
    std::string_view format = ops::operatorFormat(callable.name);
    if (format.empty()) format = ops::inPlaceOperatorFormat(callable.name);
    std::size_t next = 0;
    for (std::size_t i = 0; i < format.size() && !out.full(); ++i) {
        if (format[i] != '{') {
            out.text += format[i];
            continue;
        }
        if (next == args.size()) return {};
        if (i > 0 && format[i - 1] == '[') out.addIndex(args[next++]);
        else out.add(args[next++]);
        ++i;
    }
    return cut(std::move(out.text));
}

std::string constantsText(const Graph& graph, const Node& node, const CallParameters& parameters,
                          std::string_view box) {
    return Constants(graph, node, parameters, box).text();
}

std::string valueText(const Graph& graph, const Argument& value, std::string_view box) {
    ValueText out(graph, box);
    out.add(value);
    return cut(std::move(out.text));
}

} // namespace fx
