// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inputs/input_guess.h"

#include "core/base/one_of.h"
#include "core/base/plain_number.h"
#include "core/inputs/layer_inputs.h"
#include "core/module/call_semantics.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

using Sureness = InputGuess::Sureness;

constexpr std::size_t kMaxCarried = 8; ///< placeholders that one value is followed for, so that the walk stays linear

/// A value has the shape of a placeholder, or the same number of elements per batch.
struct Carried {
    std::uint32_t input = 0;
    bool flat = false;  ///< behind a flatten or view: only a layer of features says something
    bool loose = false; ///< its values, arranged otherwise: only what looks them up in a table says something
};

/// What the first layer said that a placeholder reaches.
struct Finding {
    std::optional<LayerInput> layer;
    std::string layerName = {}; ///< "conv1 (Conv2d)"
    bool isMask = false;
    std::optional<std::uint32_t> with; ///< another placeholder that it is combined with
};

/// `Optional[X]` as X.
const TypeExpr* withoutNone(const TypeExpr* type) {
    if (!type || type->args.empty()) return type;
    if (type->kind == TypeExpr::Kind::Generic && type->name == "Optional") return type->args[0].get();
    if (type->kind != TypeExpr::Kind::Union || type->args.size() != 2) return type;
    return type->args[type->args[0]->name == "NoneType" ? 1 : 0].get();
}

/// Follows the placeholders of a model to the first layers that take them.
class LayerWalk {
public:
    LayerWalk(const GraphModule& model, const std::vector<NodeId>& inputs) : m_findings(inputs.size()) {
        Visit first{&model, {}, {}};
        for (std::uint32_t i = 0; i < inputs.size(); ++i) first.carried[inputs[i]] = {{i, false}};
        m_visits.push_back(std::move(first));
        for (; !m_visits.empty(); m_visits.pop_front()) {
            if (m_seen.insert(m_visits.front().model).second) walk(m_visits.front());
        }
    }
    const std::vector<Finding>& findings() const { return m_findings; }

private:
    struct Visit {
        const GraphModule* model;
        std::unordered_map<NodeId, std::vector<Carried>> carried;
        std::string prefix; ///< path of the nested graph with a dot
    };

    void walk(Visit& visit) {
        PathResolver paths(*visit.model->root);
        for (const Node& node : visit.model->graph.nodes()) {
            const Module* const module = node.op() == Op::CallModule ? paths.resolve(node.target()).module : nullptr;
            if (module && module->graphModule) enter(visit, node, *module->graphModule);
            else if (node.isCall()) look(visit, paths, node, module);
        }
    }

    const TensorRef* tensorOf(const Visit& visit, PathResolver& paths, const Argument& argument) {
        if (!argument.isNode()) return nullptr;
        const Node& node = visit.model->graph.node(argument.node());
        if (node.op() == Op::GetAttr) return paths.resolve(node.target()).tensor.get();
        if (node.op() != Op::Placeholder || visit.model->lifted.empty()) return nullptr;
        if (m_liftedPaths.empty())
            for (const LiftedInput& lifted : visit.model->lifted) m_liftedPaths.emplace(lifted.node, &lifted.path);
        const auto path = m_liftedPaths.find(node.id());
        return path == m_liftedPaths.end() || path->second->empty() ? nullptr
                                                                    : paths.resolve(*path->second).tensor.get();
    }

    /// The module of the second argument, where a quantised operator has its packed weight, or null.
    static const Module* packedOf(const Visit& visit, PathResolver& paths, const Node& node) {
        if (node.args().size() < 2 || !node.args()[1].isNode()) return nullptr;
        const Node& weight = visit.model->graph.node(node.args()[1].node());
        return weight.op() == Op::GetAttr ? paths.resolve(weight.target()).module : nullptr;
    }

    void look(Visit& visit, PathResolver& paths, const Node& node, const Module* module) {
        std::vector<Carried> all;
        const auto tensors = [&](const Argument& other) { return tensorOf(visit, paths, other); };
        for (std::size_t place = 0; place < node.args().size() + node.kwargs().size(); ++place) {
            const bool named = place >= node.args().size();
            const Argument& argument = named ? node.kwargs()[place - node.args().size()].second : node.args()[place];
            if (const Sequence* list = argument.asList()) lookInList(visit, node, *list, place, tensors, all);
            const auto carried = argument.isNode() ? visit.carried.find(argument.node()) : visit.carried.end();
            if (carried == visit.carried.end()) continue;
            const std::size_t position = named ? positionOf(node.kwargs()[place - node.args().size()].first) : place;
            const Module* packed = position == 0 && !module ? packedOf(visit, paths, node) : nullptr;
            const auto layer = module   ? moduleInput(*module, position)
                               : packed ? packedInput(*packed)
                                        : functionInput(node, position, tensors);
            for (const Carried& one : carried->second) note(visit, node, module, one, layer, position);
            all.insert(all.end(), carried->second.begin(), carried->second.end());
        }
        if (!all.empty()) goOn(visit, node, module, std::move(all));
    }

    /// `weight[rows, columns]` and `cat([x, y])`.
    template<class Tensors> void lookInList(const Visit& visit, const Node& node, const Sequence& list,
                                            std::size_t place, const Tensors& tensors, std::vector<Carried>& all) {
        for (std::size_t i = 0; i < list.items.size(); ++i) {
            const Argument& item = list.items[i];
            const auto carried = item.isNode() ? visit.carried.find(item.node()) : visit.carried.end();
            if (carried == visit.carried.end()) continue;
            const auto layer = indexInput(node, place, i, tensors);
            for (Carried one : carried->second) {
                note(visit, node, nullptr, one, layer, place);
                one.loose = true;
                all.push_back(one);
            }
        }
    }

    /// What a node gives of the inputs that it takes.
    void goOn(Visit& visit, const Node& node, const Module* module, std::vector<Carried> all) {
        const std::string name = canonicalName(node);
        const bool flattens =
            module ? module->className == "Flatten" : name == "flatten" || name == "view" || name == "reshape";
        for (std::size_t i = 1; i < all.size(); ++i)
            if (all[i].input != all[0].input && !all[i].loose && !all[0].loose)
                m_findings[all[i].input].with = all[0].input, m_findings[all[0].input].with = all[i].input;
        const bool keeps = flattens || keepsShape(node, module);
        if (!keeps && (module || !keepsElements(node))) return;
        if (all.size() > kMaxCarried) all.resize(kMaxCarried);
        for (Carried& one : all) one.flat = one.flat || flattens, one.loose = one.loose || !keeps;
        visit.carried.emplace(node.id(), std::move(all));
    }

    /// Where the common forwards have their keyword arguments.
    static std::size_t positionOf(std::string_view name) {
        if (name == "input" || name == "query" || name == "src" || name == "x") return 0;
        return name == "key" || name == "tgt" ? 1 : name == "value" ? 2 : 99;
    }

    void note(const Visit& visit, const Node& node, const Module* module, Carried one,
              const std::optional<LayerInput>& layer, std::size_t position) {
        Finding& finding = m_findings[one.input];
        const std::string name = canonicalName(node);
        if ((name.starts_with("masked_fill") && position == 1) || (name == "where" && position == 0))
            finding.isMask = true;
        if (!layer || (one.loose && !layer->isTable())) return;
        if (finding.layer && finding.layer->isTable()) { // the smallest table
            if (layer->isTable()) finding.layer->high = std::min(finding.layer->high, layer->high);
            return;
        }
        if (!layer->isTable() &&
            ((finding.layer && (!finding.layer->weak || layer->weak)) || (one.flat && layer->sizes.size() != 2)))
            return;
        finding.layer = layer;
        finding.layerName = visit.prefix + (module ? node.target() + " (" + module->className + ")" : node.name());
    }

    void enter(const Visit& visit, const Node& node, const GraphModule& inner) {
        Visit next{&inner, {}, visit.prefix + node.target() + "."};
        std::size_t place = 0;
        for (const Node& placeholder : inner.graph.nodes()) {
            if (placeholder.op() != Op::Placeholder) continue;
            const Argument* given = node.argument(place, placeholder.target());
            if (given && given->isNode())
                if (const auto carried = visit.carried.find(given->node()); carried != visit.carried.end())
                    next.carried[placeholder.id()] = carried->second;
            ++place;
        }
        if (!next.carried.empty()) m_visits.push_back(std::move(next));
    }

    std::vector<Finding> m_findings;
    std::deque<Visit> m_visits;
    std::unordered_set<const GraphModule*> m_seen;
    std::unordered_map<NodeId, const std::string*> m_liftedPaths; ///< of the exported program; nested graphs have none
};

/// Numbers for the symbolic sizes of an export: the same symbol is the same number everywhere.
class Symbols {
public:
    /// The first size of an input is mostly the batch; exports do not take 1 for a size that varies.
    std::int64_t numberOf(const std::string& size, bool first, bool& assumed) {
        if (const auto number = plainNumbers({size})) return number->front();
        if (const auto known = m_known.find(size); known != m_known.end()) return known->second;
        assumed = assumed || !first;
        return m_numbers.emplace(size, first ? 2 : 16).first->second;
    }
    /// The value that a runnable of torch.compile has for a symbol.
    void know(const std::string& size, const std::string& value) {
        if (const auto number = plainNumbers({value})) m_known.emplace(size, number->front());
    }
    static bool isSymbol(const std::string& size) { return size.empty() || size[0] < '0' || size[0] > '9'; }

private:
    std::map<std::string, std::int64_t> m_numbers, m_known;
};

class Guesser {
public:
    explicit Guesser(const GraphModule& model) : m_model(model), m_inputs(userInputs()), m_walk(model, m_inputs) {}

    std::vector<InputGuess> all() {
        for (const NodeId id : m_inputs) {
            const NodeMeta& meta = m_model.graph.node(id).meta();
            for (const auto& [key, text] : meta.other)
                if (key == "hint" && !meta.values.empty() && !meta.values[0].sizes.empty())
                    m_symbols.know(meta.values[0].sizes[0], text);
        }
        for (std::uint32_t i = 0; i < m_inputs.size(); ++i)
            m_guesses.push_back(guess(m_model.graph.node(m_inputs[i]), m_walk.findings()[i]));
        for (std::uint32_t i = 0; i < m_inputs.size(); ++i) copyPartner(i);
        return std::move(m_guesses);
    }

private:
    std::vector<NodeId> userInputs() const {
        std::unordered_map<NodeId, LiftedInput::Kind> kinds;
        for (const LiftedInput& lifted : m_model.lifted) kinds.emplace(lifted.node, lifted.kind);
        std::vector<NodeId> out;
        for (const Node& node : m_model.graph.nodes()) {
            if (node.op() != Op::Placeholder || node.target().starts_with("*")) continue;
            const auto kind = kinds.find(node.id());
            if (kind == kinds.end() || kind->second == LiftedInput::Kind::UserInput) out.push_back(node.id());
        }
        return out;
    }

    InputGuess guess(const Node& node, const Finding& finding) {
        InputGuess out;
        out.input.name = node.target();
        if (!fromMeta(out, node, finding) && !fromType(out, node) && finding.layer && out.declared.empty()) {
            out.input.sizes = finding.layer->sizes;
            out.input.dtype = finding.layer->dtype;
            out.input.high = finding.layer->high;
            out.input.batchDim = finding.layer->batchDim;
            out.sureness = finding.layer->assumed ? Sureness::Assumed : Sureness::Follows;
            out.reasons = {Message("inputs.layer", {{"layer", finding.layerName},
                                                    {"takes", finding.layer->reason.text()},
                                                    {"cause", finding.layer->reason.code()}})};
        }
        if (out.sureness == Sureness::Unknown) {
            out.input.sizes = {4, 4};
            if (finding.isMask) out.input.dtype = "torch.bool";
            out.reasons = {out.declared.empty() ? Message("inputs.unknown")
                                                : Message("inputs.declared_as", {{"type", out.declared}})};
        }
        if (out.input.isInteger()) out.input.generator = Generator::Integers;
        if (node.users().empty() && out.sureness != Sureness::Known)
            out.sureness = Sureness::Unused, out.reasons = {Message("inputs.unused")};
        if (!node.args().empty()) out.sureness = Sureness::Default, out.reasons = {Message("inputs.has_default")};
        return out;
    }

    /// False when the file does not say what the input is.
    bool fromMeta(InputGuess& out, const Node& node, const Finding& finding) {
        if (node.meta().values.empty()) return false;
        const ValueInfo& info = node.meta().values.front();
        if (!info.isTensor) return fromNumber(out, info);
        if (!info.dtype.starts_with("torch.")) return false;
        bool assumed = false;
        for (std::size_t i = 0; i < info.sizes.size(); ++i)
            out.input.sizes.push_back(m_symbols.numberOf(info.sizes[i], i == 0, assumed));
        if (!info.sizes.empty() && (m_model.lifted.empty() || Symbols::isSymbol(info.sizes[0]))) out.input.batchDim = 0;
        out.input.dtype = info.dtype;
        out.reasons = {Message("inputs.of_file")};
        if (assumed) out.reasons.push_back(Message("inputs.assumed_sizes"));
        if (out.input.isInteger()) {
            out.input.high = finding.layer && finding.layer->high > 0 ? finding.layer->high : 2;
            if (finding.layer && finding.layer->high > 0)
                out.reasons.push_back(
                    Message("inputs.below_rows", {{"count", finding.layer->high}, {"layer", finding.layerName}}));
            else assumed = true, out.reasons.push_back(Message("inputs.assumed_range"));
        }
        out.sureness = assumed ? Sureness::Assumed : Sureness::Known;
        return true;
    }

    /// A symbolic size that is an input of its own.
    bool fromNumber(InputGuess& out, const ValueInfo& info) {
        if (info.dtype != "int" || info.sizes.empty()) return false;
        bool assumed = false;
        out.input.dtype = "int";
        out.input.generator = Generator::Constant;
        out.input.value = static_cast<double>(m_symbols.numberOf(info.sizes[0], false, assumed));
        out.sureness = assumed ? Sureness::Assumed : Sureness::Known;
        out.reasons = {assumed ? Message("inputs.assumed_sizes") : Message("inputs.of_file")};
        return true;
    }

    /// A dict, list, tuple or text.
    static bool isContainerOrText(const TypeExpr& type) {
        if (type.module != "typing" && type.module != "builtins") return false;
        constexpr std::string_view kNames[] = {"dict", "Dict", "list", "List", "tuple", "Tuple", "str"};
        return std::find(std::begin(kNames), std::end(kNames), type.name) != std::end(kNames);
    }

    static bool fromType(InputGuess& out, const Node& node) {
        const TypeExpr* declared = withoutNone(node.type().get());
        if (declared && isContainerOrText(*declared)) out.declared = node.type()->repr();
        const std::string type = declaredNumber(node);
        if (type.empty()) return false;
        out.input.dtype = type;
        out.input.generator = Generator::Constant;
        out.input.value = 1;
        out.sureness = Sureness::Assumed;
        out.reasons = {Message("inputs.declared", {{"type", type}})};
        return true;
    }

    /// x + y: what is known of one is a guess for the other.
    void copyPartner(std::uint32_t place) {
        InputGuess& guess = m_guesses[place];
        const auto with = m_walk.findings()[place].with;
        if (!with || guess.sureness != Sureness::Unknown) return;
        const InputGuess& other = m_guesses[*with];
        if (other.sureness == Sureness::Unknown || other.input.isInteger() ||
            other.input.generator == Generator::Constant)
            return;
        guess.input.sizes = other.input.sizes;
        guess.input.batchDim = other.input.batchDim;
        if (guess.input.dtype != "torch.bool") guess.input.dtype = other.input.dtype;
        guess.sureness = Sureness::Assumed;
        guess.reasons = {Message("inputs.combined", {{"other", other.input.name}})};
    }

    const GraphModule& m_model;
    const std::vector<NodeId> m_inputs;
    const LayerWalk m_walk;
    Symbols m_symbols;
    std::vector<InputGuess> m_guesses;
};

} // namespace

std::string declaredNumber(const Node& placeholder) {
    std::string type;
    if (const auto& values = placeholder.meta().values; !values.empty() && !values.front().isTensor)
        type = values.front().dtype;
    else if (const TypeExpr* declared = withoutNone(placeholder.type().get())) type = declared->repr();
    return isOneOf(type, {"int", "float", "bool"}) ? type : std::string();
}

std::string InputGuess::reason() const {
    std::string text;
    for (const Message& each : reasons) text += (text.empty() ? "" : "; ") + each.text();
    return text;
}

std::vector<InputGuess> guessInputs(const GraphModule& model) {
    std::vector<InputGuess> guesses = Guesser(model).all();
    bool needsBatch = false; // one value of each channel has no variance; those of images have several
    forEachModule(*model.root, [&](const std::string&, const Module& module) {
        needsBatch = needsBatch || (module.training && module.className == "BatchNorm1d");
    });
    if (!needsBatch) return guesses;
    std::vector<InputGuess> ofTwo = withBatchesOfTwo(guesses);
    return ofTwo.empty() ? guesses : ofTwo;
}

std::vector<InputGuess> withBatchesOfTwo(std::vector<InputGuess> guesses) {
    bool any = false;
    for (InputGuess& guess : guesses) {
        const auto dim = static_cast<std::size_t>(guess.input.batchDim);
        const bool isOpen = guess.input.batchDim >= 0 && dim < guess.input.sizes.size() &&
                            guess.sureness != Sureness::Known && guess.input.sizes[dim] == 1;
        if (isOpen) guess.input.sizes[dim] = 2, any = true;
    }
    return any ? guesses : std::vector<InputGuess>();
}

InputDescription guessedInputs(const std::vector<InputGuess>& guesses) {
    InputDescription out;
    for (const InputGuess& guess : guesses)
        if (guess.sureness != Sureness::Default) out.inputs.push_back(guess.input);
    return out;
}

const InputGuess* guessFor(const std::vector<InputGuess>& guesses, const std::string& input) {
    const auto found = std::find_if(guesses.begin(), guesses.end(),
                                    [&](const InputGuess& guess) { return guess.input.name == input; });
    return found == guesses.end() ? nullptr : &*found;
}

bool isForGuesses(const InputDescription& inputs, const std::vector<InputGuess>& guesses) {
    auto input = inputs.inputs.begin();
    for (const InputGuess& guess : guesses) {
        if (input != inputs.inputs.end() && input->name == guess.input.name) ++input;
        else if (guess.sureness != Sureness::Default) return false;
    }
    return input == inputs.inputs.end();
}

} // namespace fx
