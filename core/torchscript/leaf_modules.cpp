// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/leaf_modules.h"

#include "core/diag/error.h"
#include "core/make/module_factory.h"
#include "core/ops/nn_modules.h"
#include "core/torchscript/leaf_match.h"
#include "core/torchscript/leaf_quantised.h"
#include "core/torchscript/writing/script_quantised.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace fx::script {
namespace {

using Settings = std::vector<std::pair<std::string, Argument>>;

/// Lists of a script are tuples in Python's constructors.
Argument asSetting(const Argument& value) {
    const Sequence* list = value.asList();
    return list ? Argument::tuple(list->items) : value;
}

int numberAt(std::string_view text) {
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// `padding` of a convolution from the argument of aten::pad: (left, right, top, bottom) of the last dimension first.
Argument halfOf(const Argument& pad) {
    const Sequence* both = pad.asList();
    std::vector<Argument> out;
    for (std::size_t i = both ? both->items.size() : 0; i >= 2; i -= 2) {
        if (!(both->items[i - 1] == both->items[i - 2])) return {};
        out.push_back(both->items[i - 2]);
    }
    return out.empty() ? Argument() : Argument::tuple(std::move(out));
}

/// `mode` of an EmbeddingBag from the number that its operator takes.
Argument bagMode(const Argument& number) {
    static constexpr const char* kModes[] = {"sum", "mean", "max"};
    const auto* mode = number.as<std::int64_t>();
    return mode && *mode >= 0 && *mode < 3 ? Argument(kModes[*mode]) : Argument();
}

/// What `kernel_size=weight.2:` and the like say.
Argument derived(std::string_view rule, const Object& object, const LeafMatch& match) {
    if (const std::size_t bar = rule.find('|'); bar != rule.npos) {
        const std::string_view first = rule.substr(0, bar);
        return derived(object.tensor(first.substr(0, first.find('.'))) ? first : rule.substr(bar + 1), object, match);
    }
    if (rule.front() == '?') return Argument(object.tensor(rule.substr(1)) != nullptr);
    if (rule == "True") return Argument(true);
    if (rule.front() == '\'') return Argument(rule.substr(1, rule.size() - 2));
    const std::size_t dot = rule.find('.');
    const auto named = match.settings.find(rule.substr(0, dot));
    if (dot == rule.npos) return named == match.settings.end() ? Argument() : named->second;
    if (rule.substr(dot) == ".half") return named == match.settings.end() ? Argument() : halfOf(named->second);
    if (rule.substr(dot) == ".bag") return named == match.settings.end() ? Argument() : bagMode(named->second);
    TensorPtr tensor = object.tensor(rule.substr(0, dot));
    if (!tensor && rule.starts_with("running_mean")) tensor = object.tensor("weight");
    const auto place = static_cast<std::size_t>(numberAt(rule.substr(dot + 1)));
    if (!tensor || place > tensor->sizes.size()) return {};
    if (rule.ends_with(':'))
        return Argument::tuple({tensor->sizes.begin() + static_cast<std::ptrdiff_t>(place), tensor->sizes.end()});
    if (place == tensor->sizes.size()) return {};
    std::int64_t size = tensor->sizes[place];
    if (rule.ends_with("*groups")) {
        const auto groups = match.settings.find("groups");
        const auto* count = groups == match.settings.end() ? nullptr : groups->second.as<std::int64_t>();
        if (!count || *count < 1 || *count > 1 << 30 || size > 1 << 30) return {};
        size *= *count;
    }
    return Argument(size);
}

bool hasMember(const Module& module, std::string_view name) {
    return module.parameter(name) || module.buffer(name) || module.attribute(name) ||
           module.childIndex(name) < module.children.size();
}

/// The tensors of the file in the place of new ones. False if the names or sizes are others, or if the file has
/// modules that the class does not have: what hooks call (observers) would be lost.
bool takeTensors(Module& module, const Object& object, int depth) {
    if (depth > 5) return false;
    const auto take = [&](std::vector<Module::Slot>& slots) {
        return std::all_of(slots.begin(), slots.end(), [&](Module::Slot& slot) {
            const TensorPtr own = object.tensor(slot.name);
            if (!own || !slot.tensor) return !own && !slot.tensor;
            const bool same = own->sizes == slot.tensor->sizes && !isSparse(*own);
            slot.tensor = own;
            return same;
        });
    };
    if (!take(module.parameters) || !take(module.buffers)) return false;
    for (const auto& [name, field] : object.fields) {
        if (std::holds_alternative<TensorPtr>(field) && !module.parameter(name) && !module.buffer(name)) return false;
        const auto* inner = std::get_if<const Object*>(&field);
        if (inner && *inner && module.childIndex(name) >= module.children.size()) return false;
        const auto* literal = std::get_if<Argument>(&field);
        if (name == "training" && literal && literal->as<bool>()) module.training = *literal->as<bool>();
        else if (name != "training" && literal && !literal->as<OpaqueObject>() && !name.starts_with('_') &&
                 !hasMember(module, name))
            module.attributes.emplace_back(name, *literal); // the user's own
    }
    return std::all_of(module.children.begin(), module.children.end(), [&](Module::Child& child) {
        const Object::Field* field = object.field(child.name);
        const auto* inner = field ? std::get_if<const Object*>(field) : nullptr;
        if (!inner) return !child.module;
        if (child.module) child.module = std::make_shared<Module>(*child.module);
        return child.module && takeTensors(*child.module, **inner, depth + 1);
    });
}

/// The literal at a path of attributes: `self_attn.num_heads`.
const Argument* settingAt(const Program& program, const Object& object, std::string_view path) {
    const Object* holder = &object;
    for (std::size_t dot = path.find('.'); holder && dot != path.npos; dot = path.find('.')) {
        const Object::Field* field = holder->field(path.substr(0, dot));
        const auto* inner = field ? std::get_if<const Object*>(field) : nullptr;
        holder = inner ? *inner : nullptr;
        path.remove_prefix(dot + 1);
    }
    return holder ? holder->setting(program, path) : nullptr;
}

/// The settings of a layer that keeps them in its children; empty if they are not all there.
Settings layerSettings(const Program& program, const Object& object) {
    static constexpr std::pair<const char*, const char*> kPlaces[] = {{"d_model", "self_attn.embed_dim"},
                                                                      {"nhead", "self_attn.num_heads"},
                                                                      {"dim_feedforward", "linear1.out_features"},
                                                                      {"dropout", "dropout.p"},
                                                                      {"layer_norm_eps", "norm1.eps"},
                                                                      {"batch_first", "self_attn.batch_first"},
                                                                      {"norm_first", "norm_first"}};
    Settings out;
    for (const auto& [name, path] : kPlaces) {
        const Argument* value = settingAt(program, object, path);
        if (!value) return {};
        out.emplace_back(name, *value);
    }
    const Argument* activation = object.setting(program, "activation_relu_or_gelu");
    const auto* number = activation ? activation->as<std::int64_t>() : nullptr;
    if (!number || (*number != 1 && *number != 2)) return {};
    out.emplace_back("activation", Argument(*number == 1 ? "relu" : "gelu"));
    return out;
}

std::vector<std::vector<std::int64_t>> paths(std::string_view text, const std::vector<std::size_t>& outputs) {
    std::vector<std::vector<std::int64_t>> all, out;
    for (const std::string_view path : ops::split(text, ";")) {
        all.emplace_back();
        for (const std::string_view index : ops::split(path, ".")) all.back().push_back(numberAt(index));
    }
    if (all.empty()) all.emplace_back();
    for (const std::size_t output : outputs)
        if (output < all.size()) out.push_back(all[output]);
    return out;
}

/// RNN, LSTM and GRU, not their cells.
bool isRecurrent(const ops::NnModule& type) {
    return type.path().starts_with("torch.nn.modules.rnn.") && !type.path().ends_with("Cell");
}

/// Whether a method, or a function that it calls, calls an operator.
bool reaches(const Program& program, const Method& method, std::string_view kind) {
    std::vector<std::pair<const Method*, const Block*>> open = {{&method, &method.body}};
    std::set<const Method*> seen = {&method};
    while (!open.empty()) {
        const auto [caller, block] = open.back();
        open.pop_back();
        for (const Node& node : block->nodes) {
            if (program.kindOf(node).is(kind)) return true;
            for (const Block& inner : node.blocks) open.emplace_back(caller, &inner);
            const bool isCall = program.kindOf(node).is("prim::CallFunction") && !node.inputs.empty();
            const int place = isCall ? program.typeOf(*caller, node.inputs[0]).functionIndex : -1;
            const Method* called = place >= 0 ? &program.functions[static_cast<std::size_t>(place)] : nullptr;
            if (called && seen.insert(called).second) open.emplace_back(called, &called->body);
        }
    }
    return false;
}

/// Whether a method takes and does what the class's own forward does, as far as its attributes do not tell that. A
/// trace has them too where other methods are scripted, but its methods (`forward1(argument_1, argument_2)`) take what
/// is computed outside, in any order: a tied weight. The rows of a table that are too long a script does not scale
/// down.
bool isForwardOfClass(const Program& program, const Object& object, const Method& method,
                      const std::vector<std::string>& own) {
    const auto type = ops::findModule(plainClassName(object.className));
    const std::vector<ops::Parameter> known = type ? type->forwardParameters() : std::vector<ops::Parameter>();
    const std::size_t count = method.parameters.size() - 1;
    if (count > known.size() || std::any_of(own.begin(), own.end(), [](const auto& name) { return !name.empty(); }))
        return false;
    for (std::size_t i = 0; i < count && count > 1; ++i)
        if (method.parameters[i + 1].name != known[i].name) return false;
    const Argument* mostNorm = object.setting(program, "max_norm");
    return !mostNorm || mostNorm->isNone() || reaches(program, method, "aten::embedding_renorm_");
}

/// Whether a method gives what the module's forward gives: a trace leaves out what nothing uses, and gives parts of
/// tuples one by one.
bool givesAll(const Program& program, const ops::NnModule& type, const Object& object, const Method& method) {
    if (method.body.outputs.size() != 1) return false;
    const std::string& got = program.typeOf(method, method.body.outputs[0]).text;
    if (isRecurrent(type)) return got == (type.name() == "LSTM" ? "(Tensor, (Tensor, Tensor))" : "(Tensor, Tensor)");
    const Argument* indices = object.setting(program, "return_indices");
    const bool several =
        type.name() == "LSTMCell" || type.name() == "MultiheadAttention" || (indices && *indices == Argument(true));
    return got.starts_with('(') == several;
}

} // namespace

bool LeafModules::isLeafType(const std::string& plainName) {
    if (isQuantisedLeaf(plainName)) return true;
    return plainName.starts_with("torch.nn.modules.") && !plainName.starts_with("torch.nn.modules.container.") &&
           plainName != "torch.nn.modules.module.Module";
}

std::shared_ptr<Module> LeafModules::module(const Object& object) const {
    const auto known = m_modules.find(&object);
    return known == m_modules.end() ? nullptr : known->second;
}

bool LeafModules::packsAs(const Object& object, std::string_view name) {
    if (name != "_packed_params" || !isQuantisedLeaf(plainClassName(object.className))) return false;
    const Method* forward = object.type ? object.type->method("forward") : nullptr;
    const auto call = forward ? recognise(object, *forward, {}) : std::nullopt;
    return call && packedAttribute(*call->module) == name;
}

std::optional<LeafCall> LeafModules::recognise(const Object& object, const Method& method,
                                               const std::vector<std::string>& own) {
    // A recurrent network of a packed sequence: torch.nn's module takes a class of Python, a graph has its parts.
    if (plainClassName(object.className).starts_with("torch.nn.modules.rnn.") && method.parameters.size() > 1 &&
        method.parameters[1].annotation.starts_with("Tuple["))
        return {};
    const auto key = std::pair(&object, method.name);
    if (const auto known = m_calls.find(key); known != m_calls.end()) return known->second;
    const bool isQuantised = isQuantisedLeaf(plainClassName(object.className));
    std::optional<LeafCall> call;
    if (isQuantised) call = quantisedLeaf(m_program, object, method, own);
    else if (isForwardOfClass(m_program, object, method, own)) call = byAttributes(object, method);
    if (!call && !isQuantised) call = byBody(object, method, own);
    // All calls of an object have the same settings, or the others are none of its forward.
    std::shared_ptr<Module>& made = m_modules[&object];
    if (call && !made) made = call->module;
    else if (call && made->attributes != call->module->attributes) call.reset();
    if (call) call->module = made;
    return m_calls[key] = call;
}

std::shared_ptr<Module> LeafModules::make(const Object& object, const Settings& settings) {
    TorchGenerator random(0, NewWeights::ShapesOnly);
    try {
        auto module = makeModule(plainClassName(object.className), {settings, {}}, random);
        return takeTensors(*module, object, 0) ? module : nullptr;
    } catch (const Error&) { return nullptr; } // settings that no module of this class has
}

/// Scripted: every setting of the constructor is an attribute or a constant of the class.
std::optional<LeafCall> LeafModules::byAttributes(const Object& object, const Method& method) {
    const auto type = ops::findModule(plainClassName(object.className));
    if (!type || !method.name.starts_with("forward") || !givesAll(m_program, *type, object, method))
        return std::nullopt;
    Settings settings;
    const bool isRnn = isRecurrent(*type);
    if (isRnn) {
        for (const char* name : {"input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout",
                                 "bidirectional", "proj_size"})
            if (const Argument* value = object.setting(m_program, name)) settings.emplace_back(name, *value);
        if (settings.size() < 7) return std::nullopt;
        if (type->name() != "LSTM" && settings.back().first == "proj_size") settings.pop_back();
        if (type->name() == "RNN") {
            const Argument* mode = object.setting(m_program, "mode");
            if (!mode) return std::nullopt;
            settings.emplace_back("nonlinearity", Argument(*mode == Argument("RNN_RELU") ? "relu" : "tanh"));
        }
    }
    const bool isLayer = type->name() == "TransformerEncoderLayer";
    if (isLayer && (settings = layerSettings(m_program, object)).empty()) return std::nullopt;
    for (const ops::NnModule::Setting& setting :
         isRnn || isLayer ? std::vector<ops::NnModule::Setting>{} : type->settings()) {
        const std::string name(setting.parameter);
        const Argument* value = object.setting(m_program, setting.attribute);
        if (setting.isPresence) settings.emplace_back(name, Argument(object.tensor(setting.attribute) != nullptr));
        else if (value) settings.emplace_back(name, asSetting(*value));
        else return std::nullopt;
    }
    if (settings.empty() && method.parameters.size() != 2) return std::nullopt;
    const Argument* zeros = object.setting(m_program, "add_zero_attn");
    if (zeros && *zeros == Argument(true)) return std::nullopt; // could not be written as a script again
    LeafCall call{make(object, settings), {}, {}, {{}}};
    for (std::uint32_t i = 0; i + 1 < method.parameters.size(); ++i) call.inputs.push_back({i});
    return call.module ? std::optional(std::move(call)) : std::nullopt;
}

/// The inputs that `rules` name (LeafPattern::call); false if one is missing.
bool LeafModules::giveInputs(LeafCall& call, std::string_view rules, const LeafMatch& match) {
    const auto matched = [&](std::string_view numbers) -> std::optional<std::uint32_t> {
        for (const std::string_view number : ops::split(numbers, "|"))
            if (const auto found = match.inputs.find(numberAt(number)); found != match.inputs.end())
                return found->second;
        return std::nullopt;
    };
    for (const std::string_view rule : ops::split(rules, ";")) {
        const std::size_t equals = rule.find('=');
        const std::string_view value = equals == rule.npos ? std::string_view() : rule.substr(equals + 1);
        const std::string name(rule.substr(0, equals));
        if (equals == rule.npos) {
            call.inputs.emplace_back();
            for (const std::string_view number : ops::split(rule, ",")) {
                const auto input = matched(number);
                if (!input) return false;
                call.inputs.back().push_back(*input);
            }
        } else if (value.starts_with('{')) {
            const auto setting = match.settings.find(value.substr(1, value.size() - 2));
            if (setting != match.settings.end()) call.named.emplace_back(name, setting->second);
        } else if (value == "True" || value == "False") {
            call.named.emplace_back(name, Argument(value == "True"));
        } else if (const auto input = matched(value)) {
            call.named.emplace_back(name, *input);
        }
    }
    return true;
}

namespace {
/// A trace in training mode drops numbers whatever the mode is then, a module only in training.
bool dropsOutsideOfTraining(const Program& program, const Object& object, LeafMatch& match) {
    const auto rate = match.settings.find("dropout");
    const Argument* training = object.setting(program, "training");
    const bool drops = rate != match.settings.end() && !(rate->second == Argument(0.0));
    return drops && !(training && *training == Argument(true));
}
} // namespace

/// Traced: the operators of the body know the settings.
std::optional<LeafCall> LeafModules::byBody(const Object& object, const Method& method,
                                            const std::vector<std::string>& own) {
    const std::string type = plainClassName(object.className);
    LeafMatch match(m_program, object, method, own);
    const auto known = ops::findModule(type);
    for (const LeafPattern& pattern : known ? leafPatterns(lastAtom(type)) : std::vector<LeafPattern>()) {
        if (!match.matches(pattern)) continue;
        const auto parameters = known->parameters();
        const auto takes = [&](std::string_view name) {
            return std::any_of(parameters.begin(), parameters.end(), [&](const auto& one) { return one.name == name; });
        };
        if (match.settings["inplace"] == Argument(true) && !takes("inplace")) continue;
        if (known->name() == "MultiheadAttention" && dropsOutsideOfTraining(m_program, object, match)) continue;
        for (const std::string_view rule : ops::split(pattern.settings, " "))
            if (const std::size_t equals = rule.find('='); equals != rule.npos)
                match.settings[std::string(rule.substr(0, equals))] = derived(rule.substr(equals + 1), object, match);
        if (lastAtom(type) == "Embedding" && match.settings["padding_idx"] == Argument(-1))
            match.settings["padding_idx"] = {};
        const auto projected = match.settings.find("proj_size"), hidden = match.settings.find("hidden_size");
        if (projected != match.settings.end() && hidden != match.settings.end() && projected->second == hidden->second)
            match.settings.erase(projected); // the same sizes: no projection
        Settings settings;
        for (const auto& [name, value] : match.settings) {
            const bool isRnn = type.starts_with("torch.nn.modules.rnn.") && name != "has_biases" && name != "inplace";
            if (isRnn || takes(name)) settings.emplace_back(name, asSetting(value));
        }
        if (type.starts_with("torch.nn.modules.rnn.") && !match.settings.contains("hidden_size"))
            if (const TensorPtr weight = object.tensor("weight_hh_l0"); weight && weight->sizes.size() == 2)
                settings.emplace_back("hidden_size", Argument(weight->sizes[1]));
        LeafCall call{make(object, settings), {}, {}, paths(pattern.outputs, match.outputs)};
        if (!call.module || call.outputs.size() != match.outputs.size()) continue;
        if (pattern.call.empty() || !giveInputs(call, pattern.call, match)) {
            call.inputs.clear(), call.named.clear();
            for (const auto& [number, input] : match.inputs) call.inputs.push_back({input});
        }
        return call;
    }
    return std::nullopt;
}

} // namespace fx::script
