// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/module_reader.h"

#include "core/base/joined_path.h"
#include "core/io/graphmodule/packed_params.h"
#include "core/module/module_fields.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

namespace fx {

namespace {

constexpr const char* kReduce = "torch.fx.graph_module.reduce_graph_module";
/// Python's own walks over modules recurse and end at 1,000 levels.
constexpr int kMaxDepth = 1000;

/// What the state of a quantised convolution holds, in order (torch.ao.nn.quantized.modules.conv, __getstate__).
constexpr std::array kConvState{"in_channels", "out_channels", "kernel_size",    "stride",    "padding",
                                "dilation",    "transposed",   "output_padding", "groups",    "padding_mode",
                                "weight",      "bias",         "scale",          "zero_point"};

constexpr std::size_t kMaxNameBytes = 64 << 20; ///< all names of a tree; a pickle can repeat one long text cheaply
constexpr std::size_t kMaxPath = 4096;          ///< bytes of a path that is shown
constexpr std::size_t kMaxWarnings = 200;

} // namespace

bool ModuleReader::isGraphModule(const PickleArena& arena, PickleRef ref) {
    return arena.isCallOf(ref, kReduce) && arena.is(arena.args(ref), PickleKind::Tuple) &&
           arena.itemCount(arena.args(ref)) == 2;
}

std::shared_ptr<Module> ModuleReader::read(PickleRef ref) {
    try {
        const std::shared_ptr<Module> root = moduleOf(ref, {0, {}, 0});
        while (!m_tasks.empty()) {
            const Task task = std::move(m_tasks.back());
            m_tasks.pop_back();
            fill(task);
        }
        checkTree(root);
        if (m_suppressed > 0)
            m_warnings.push_back({Message("graphmodule.more_warnings", {{"count", m_suppressed}}), {}, {}, {}});
        return root;
    } catch (...) {
        for (const auto& [origin, module] : m_modules) module->children.clear(); // they may form cycles
        throw;
    }
}

std::shared_ptr<Module> ModuleReader::moduleOf(PickleRef ref, Place place) {
    if (const auto known = m_modules.find(ref); known != m_modules.end()) return known->second;
    if (place.depth > kMaxDepth) tooDeep();
    const auto module = m_modules.emplace(ref, std::make_shared<Module>()).first->second;
    module->origin = m_file.placeOf(ref);
    m_places.push_back(place);
    m_tasks.push_back({ref, module, m_places.size() - 1});
    return module;
}

void ModuleReader::tooDeep() const {
    throw Error(ErrorKind::File, Message("graphmodule.modules_too_deep")).in(m_file.path());
}

std::string ModuleReader::nameText(std::string_view name) {
    m_nameBytes += name.size();
    if (m_nameBytes > kMaxNameBytes)
        throw Error(ErrorKind::File, Message("graphmodule.names_too_long")).in(m_file.path());
    return std::string(name);
}

std::string ModuleReader::pathOf(std::size_t place) const {
    std::string path;
    for (; m_places[place].depth > 0 && path.size() < kMaxPath; place = m_places[place].above)
        path = std::string(m_places[place].name.substr(0, kMaxPath)) + (path.empty() ? "" : ".") + path;
    return path;
}

void ModuleReader::warn(const Message& what, std::size_t place) {
    if (m_warnings.size() < kMaxWarnings) m_warnings.push_back({what, {}, pathOf(place), {}});
    else ++m_suppressed;
}

void ModuleReader::fill(const Task& task) {
    const PickleKind kind = m_arena.kind(task.ref);
    if (isGraphModule(m_arena, task.ref)) return fillGraphModule(task);
    PickleRef cls = m_arena.callee(task.ref);
    if (m_arena.isCallOf(task.ref, "copyreg._reconstructor")) {
        const std::vector<PickleRef> args = m_arena.items(m_arena.args(task.ref));
        if (!args.empty()) cls = args[0];
    } else if (kind != PickleKind::NewObj && kind != PickleKind::NewObjEx && kind != PickleKind::Reduce) {
        cls = kNoPickle;
    }
    if (m_arena.is(cls, PickleKind::Global)) {
        task.module->className = m_arena.globalName(cls);
        task.module->classModule = currentModule(m_arena.globalModule(cls));
    } else {
        task.module->className = "Module";
        warn(Message("graphmodule.not_a_module"), task.place);
        return;
    }
    fillState(task, m_arena.state(task.ref));
}

void ModuleReader::fillState(const Task& task, PickleRef state) {
    if (state != kNoPickle && m_arena.is(state, PickleKind::Tuple)) {
        const std::vector<PickleRef> parts = m_arena.items(state);
        if (parts.size() == kConvState.size() + 1) return fillConvState(task, state);
        if (parts.size() == 2 && m_arena.is(parts[1], PickleKind::Dict)) {
            fillState(task, parts[1]); // slots
            state = parts[0];
        }
    }
    const bool isDict = state != kNoPickle &&
                        (m_arena.is(state, PickleKind::Dict) || m_arena.isCallOf(state, "collections.OrderedDict"));
    if (!isDict) {
        if (state == kNoPickle || m_arena.is(state, PickleKind::None)) return;
        warn(Message("graphmodule.own_state"), task.place);
        return readAttribute(task, "state", state);
    }
    for (const auto& [name, value] : textEntries(m_arena, state)) readField(task, name, value);
}

/// Quantised convolutions pickle a tuple: settings, unpacked weight and bias, scale, zero point, training.
void ModuleReader::fillConvState(const Task& task, PickleRef state) {
    const std::vector<PickleRef> parts = m_arena.items(state);
    for (std::size_t i = 0; i < kConvState.size(); ++i) readAttribute(task, kConvState[i], parts[i]);
    task.module->training = m_arena.is(parts.back(), PickleKind::Bool) && m_arena.boolean(parts.back());
}

void ModuleReader::fillGraphModule(const Task& task) {
    const std::vector<PickleRef> args = m_arena.items(m_arena.args(task.ref));
    const auto text = [&](PickleRef ref) {
        return m_arena.is(ref, PickleKind::String) ? m_arena.text(ref) : std::string_view();
    };
    Traced traced{task.module, args[0], text(args[1]), text(m_arena.find(args[0], "_code")), pathOf(task.place)};
    if (traced.code.empty()) traced.code = text(m_arena.find(args[0], "code")); // before 1.6
    if (traced.code.empty())
        throw Error(ErrorKind::File, Message("graphmodule.no_code")).in(m_file.path()).onModule(pathOf(task.place));
    const std::string_view name = text(m_arena.find(args[0], "_graphmodule_cls_name"));
    task.module->className = name.empty() ? "GraphModule" : name;
    task.module->classModule = "torch.fx.graph_module";
    m_graphModules.push_back(std::move(traced));
    for (const auto& [field, value] : textEntries(m_arena, args[0]))
        if (!isGraphModuleField(field)) readField(task, field, value);
}

ModuleReader::Field ModuleReader::fieldOf(std::string_view name) {
    static constexpr std::pair<std::string_view, Field> kFields[] = {
        {"training", Field::Training},
        {"_parameters", Field::Parameters},
        {"_buffers", Field::Buffers},
        {"_modules", Field::Modules},
        {"_non_persistent_buffers_set", Field::NonPersistent},
        {"_is_full_backward_hook", Field::Ignored},
    };
    for (const auto& [known, field] : kFields)
        if (name == known) return field;
    return isHookField(name) ? Field::Hooks : Field::Attribute;
}

/// The same. A pickle has the name of a field once for all modules, so that its place tells which one it is.
ModuleReader::Field ModuleReader::knownField(std::string_view name) {
    KnownField& known = m_fields[reinterpret_cast<std::uintptr_t>(name.data()) % m_fields.size()];
    if (known.name.data() != name.data() || known.name.size() != name.size()) known = {name, fieldOf(name)};
    return known.field;
}

void ModuleReader::readField(const Task& task, std::string_view name, PickleRef value) {
    Module& module = *task.module;
    switch (knownField(name)) {
    case Field::Training: module.training = !m_arena.is(value, PickleKind::Bool) || m_arena.boolean(value); return;
    case Field::Parameters: return readSlots(module.parameters, value, task);
    case Field::Buffers: return readSlots(module.buffers, value, task);
    case Field::Modules: return readChildren(task, value);
    case Field::NonPersistent: return readNonPersistent(module, value);
    case Field::Hooks:
        if (m_arena.itemCount(value) > 0 && !readTensorHooks(module, name, value)) warnOfHooks(task, name);
        return;
    case Field::Ignored: return;
    case Field::Attribute: return readAttribute(task, name, value);
    }
}

/// Hooks that the engine runs. False if one of them is another.
bool ModuleReader::readTensorHooks(Module& module, std::string_view field, PickleRef hooks) {
    if (field != "_forward_pre_hooks") return false;
    std::vector<std::pair<Argument, Argument>> all;
    m_arena.forEachPair(hooks, [&](PickleRef key, PickleRef hook) {
        const bool isObject = m_arena.is(hook, PickleKind::NewObj) && m_arena.is(m_arena.state(hook), PickleKind::Dict);
        std::string type = isObject ? m_arena.qualifiedName(m_arena.callee(hook)) : std::string();
        if (!m_arena.is(key, PickleKind::Int) || !isTensorHook(type)) return;
        std::vector<std::pair<Argument, Argument>> fields;
        for (const auto& [name, value] : textEntries(m_arena, m_arena.state(hook)))
            if (name != "mask" && name != "_pruning_methods")
                fields.emplace_back(nameText(name), m_values.value(value));
        all.emplace_back(m_values.value(key), Argument::tuple({std::move(type), Argument::dict(std::move(fields))}));
    });
    if (all.size() != m_arena.itemCount(hooks)) return false;
    module.attributes.emplace_back(field, Argument::dict(std::move(all)));
    return true;
}

/// A set, or the call set([names]) of older protocols; comes after _buffers.
void ModuleReader::readNonPersistent(Module& module, PickleRef value) const {
    if (module.buffers.empty()) return;
    std::vector<PickleRef> names = m_arena.items(value);
    if (m_arena.isCallOf(value, "builtins.set"))
        for (const PickleRef list : m_arena.items(m_arena.args(value))) names = m_arena.items(list);
    std::unordered_set<std::string_view> notSaved;
    for (const PickleRef entry : names)
        if (m_arena.is(entry, PickleKind::String)) notSaved.insert(m_arena.text(entry));
    for (Module::Slot& slot : module.buffers) slot.persistent = !notSaved.contains(slot.name);
}

/// Of hooks that run with forward, once for a module: what Lancet computes may differ.
void ModuleReader::warnOfHooks(const Task& task, std::string_view field) {
    if (!field.starts_with("_forward_")) return warn(Message("graphmodule.hooks_kept", {{"field", field}}), task.place);
    if (field != "_forward_hooks" && field != "_forward_pre_hooks") return; // these say which of the hooks get keywords
    if (std::exchange(m_hooked, task.ref) == task.ref) return;
    const std::string path = pathOf(task.place);
    warn(Message("graphmodule.forward_hooks", {{"module", (path.empty() ? "the model" : path)}}), task.place);
}

/// The tensor of that name in the module at `place`, null when the value is none; errors say which one it is.
TensorPtr ModuleReader::tensorNamed(const std::string& name, PickleRef value, std::size_t place) {
    try {
        return m_file.tensor(value);
    } catch (Error& error) {
        const std::string path = pathOf(place);
        if (error.modulePath.empty()) error.modulePath = joinedPath(path, name);
        throw;
    }
}

void ModuleReader::readSlots(std::vector<Module::Slot>& slots, PickleRef dict, const Task& task) {
    for (const auto& [key, value] : textEntries(m_arena, dict)) {
        const std::string name = nameText(key);
        TensorPtr tensor = tensorNamed(name, value, task.place);
        if (!tensor && !m_arena.is(value, PickleKind::None))
            warn(Message("graphmodule.not_a_tensor", {{"name", name}}), task.place);
        else if (tensor && tensor->dtype == DType::Other)
            warn(Message("graphmodule.tensor_kind", {{"name", name}, {"kind", tensor->dtypeText}}), task.place);
        slots.push_back({name, std::move(tensor)});
    }
}

void ModuleReader::readChildren(const Task& task, PickleRef dict) {
    if (!m_arena.is(dict, PickleKind::Dict) && !m_arena.isCallOf(dict, "collections.OrderedDict"))
        throw Error(ErrorKind::File, Message("graphmodule.children_not_dict"))
            .in(m_file.path())
            .onModule(pathOf(task.place));
    const PickleEntries entries = textEntries(m_arena, dict);
    for (const auto& [name, value] : entries) task.module->children.push_back({nameText(name), nullptr});
    // Last first, so that the task stack is worked off in order.
    for (std::size_t i = entries.size(); i-- > 0;)
        if (const auto& [name, value] = entries[i]; !m_arena.is(value, PickleKind::None))
            task.module->children[i].module = moduleOf(value, {task.place, name, m_places[task.place].depth + 1});
}

void ModuleReader::readAttribute(const Task& task, std::string_view key, PickleRef value) {
    const std::string name = nameText(key);
    if (auto packed = readPackedParams(m_file, value)) {
        // Weights that a module packs for itself are its own; others are modules that stand for the object, also under
        // the same name in a plain module, to which torch.fx copies what a graph reads.
        if (name == packedField(*task.module))
            for (auto& attribute : packed->attributes) task.module->attributes.push_back(std::move(attribute));
        else task.module->children.push_back({name, std::move(packed)});
        return;
    }
    auto& attributes = task.module->attributes;
    if (TensorPtr tensor = tensorNamed(name, value, task.place)) attributes.emplace_back(name, std::move(tensor));
    else attributes.emplace_back(name, m_values.value(value));
}

/// Children that are also their own ancestors would never be freed and never end a walk: they are left out. Refuses
/// trees whose longest path is beyond kMaxDepth.
void ModuleReader::checkTree(const std::shared_ptr<Module>& root) {
    struct Frame {
        Module* module;
        std::size_t next = 0;
        int height = 1;
    };
    std::unordered_map<const Module*, int> heights; // 0: on the path
    std::vector<Frame> path{{root.get()}};
    heights[root.get()] = 0;
    while (!path.empty()) {
        Frame& frame = path.back();
        if (frame.next == frame.module->children.size()) {
            const int height = heights[frame.module] = frame.height;
            if (height > kMaxDepth) tooDeep();
            path.pop_back();
            if (!path.empty()) path.back().height = std::max(path.back().height, height + 1);
            continue;
        }
        Module::Child& child = frame.module->children[frame.next++];
        if (!child.module) continue;
        const auto [known, isNew] = heights.emplace(child.module.get(), 0);
        if (isNew) {
            path.push_back({child.module.get()});
        } else if (known->second > 0) {
            frame.height = std::max(frame.height, known->second + 1);
        } else {
            warn(Message("graphmodule.cycle", {{"name", child.name}}), 0);
            child.module = nullptr;
        }
    }
}

} // namespace fx
