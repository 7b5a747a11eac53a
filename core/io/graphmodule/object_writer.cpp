// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/object_writer.h"

#include "core/io/graphmodule/packed_params.h"
#include "core/io/graphmodule/pickled_calls.h"
#include "core/io/graphmodule/tensor_pickle.h"
#include "core/module/module_fields.h"
#include "core/trace/tracer_classes.h"

#include <algorithm>

namespace fx {
namespace {

/// A tensor that code computes while the file loads.
bool isComputed(const TensorPtr& tensor) { return tensor && tensor->storage && tensor->storage->isExpression(); }

bool sameNodes(const Graph& a, const Graph& b) {
    if (a.size() != b.size()) return false;
    NodeId x = a.first(), y = b.first();
    for (; x != kNoNode; x = a.next(x), y = b.next(y)) {
        const Node &one = a.node(x), &other = b.node(y);
        if (&one == &other) continue;
        const bool same = x == y && one.op() == other.op() && one.name() == other.name() &&
                          one.target() == other.target() && one.args() == other.args() &&
                          one.kwargs() == other.kwargs() && one.type() == other.type();
        if (!same) return false;
    }
    return true;
}

} // namespace

ObjectWriter::ObjectWriter(const GraphModule& model, const GenerateCode& generate, const Progress& progress)
    : m_model(model), m_generate(generate), m_progress(progress),
      m_origin(dynamic_cast<const GraphModuleOrigin*>(model.origin.get())) {
    if (m_origin)
        forEachModule(*model.root, [this](const std::string& path, const Module& module) {
            if (const PickleRef object = objectOf(module.origin); !path.empty() && object != kNoPickle)
                m_modulesOf.emplace(object, &module);
            for (const auto* slots : {&module.parameters, &module.buffers})
                for (const Module::Slot& slot : *slots)
                    if (slot.tensor) m_tensorsOf.insert(objectOf(slot.tensor->origin));
        });
}

std::string ObjectWriter::run() {
    const PickleRef root = isNewIn(m_model, *m_model.root) ? kNoPickle : arena().root();
    next({[this, root] { graphModule(*m_model.root, m_model, root); }});
    return finish();
}

std::string ObjectWriter::runModule(const Module& module) {
    next({[this, &module] { this->module(module); }});
    return finish();
}

std::string ObjectWriter::runTensors(const std::vector<std::pair<std::string, TensorPtr>>& tensors) {
    pickleEmptyOrderedDict(m_pickler);
    std::unordered_map<const TensorRef*, std::uint32_t> written;
    m_pickler.mark();
    for (const auto& [name, each] : tensors) {
        m_pickler.text(name);
        if (const auto known = written.find(each.get()); known != written.end()) {
            m_pickler.get(known->second);
            continue;
        }
        TensorRef plain = *each;
        plain.isParameter = plain.requiresGrad = false;
        try {
            newTensor(plain);
        } catch (Error& error) { throw error.onModule(name); }
        written[each.get()] = m_pickler.put();
    }
    m_pickler.setItems();
    return finish();
}

std::string ObjectWriter::finish() {
    for (std::size_t done = 0; !m_left.empty(); ++done) {
        if (done % 4096 == 0) m_progress.check();
        const Task task = std::move(m_left.back());
        m_left.pop_back();
        task();
    }
    return m_pickler.finish();
}

void ObjectWriter::next(std::vector<Task> tasks) {
    std::move(tasks.rbegin(), tasks.rend(), std::back_inserter(m_left));
}

// ── objects of the file, as they were ────────────────────────────────────────────────────────────────────────────

void ObjectWriter::object(PickleRef ref) {
    if (const auto known = m_objects.find(ref); known != m_objects.end()) return m_pickler.get(known->second);
    if (const auto inTree = m_modulesOf.find(ref); inTree != m_modulesOf.end()) return module(*inTree->second);
    const PickleArena& objects = arena();
    if (isEmptyTuple(ref)) return m_pickler.emptyTuple();
    switch (objects.kind(ref)) {
    case PickleKind::None: return m_pickler.none();
    case PickleKind::Bool: return m_pickler.boolean(objects.boolean(ref));
    case PickleKind::Int: return m_pickler.integer(objects.integer(ref));
    case PickleKind::BigInt: return m_pickler.bigInteger(objects.bigIntDigits(ref));
    case PickleKind::Float: return m_pickler.real(objects.real(ref));
    case PickleKind::String: m_pickler.text(objects.text(ref)); break;
    case PickleKind::Bytes: m_pickler.bytes(objects.text(ref), false); break;
    case PickleKind::ByteArray: m_pickler.bytes(objects.text(ref), true); break;
    case PickleKind::Global: writeGlobal(m_pickler, objects.globalModule(ref), objects.globalName(ref)); break;
    case PickleKind::Persistent: return storageReference(ref);
    case PickleKind::Tuple:
    case PickleKind::List:
    case PickleKind::Dict:
    case PickleKind::Set:
    case PickleKind::FrozenSet: return container(ref);
    case PickleKind::Reduce:
    case PickleKind::NewObj:
    case PickleKind::NewObjEx: return call(ref);
    }
    m_objects[ref] = m_pickler.put();
}

/// What is put into a list, dict or object once it exists.
void ObjectWriter::contents(std::vector<Task>& tasks, PickleRef ref) {
    const auto items = arena().items(ref), pairs = arena().pairs(ref);
    if (!items.empty()) {
        tasks.push_back(op(&Pickler::mark));
        for (const PickleRef item : items) tasks.push_back(copy(item));
        tasks.push_back(op(&Pickler::appends));
    }
    if (!pairs.empty()) {
        tasks.push_back(op(&Pickler::mark));
        for (const PickleRef each : pairs) tasks.push_back(copy(each));
        tasks.push_back(op(&Pickler::setItems));
    }
}

void ObjectWriter::container(PickleRef ref) {
    const PickleKind kind = arena().kind(ref);
    std::vector<Task> tasks;
    if (kind == PickleKind::List || kind == PickleKind::Dict) {
        kind == PickleKind::List ? m_pickler.emptyList() : m_pickler.emptyDict();
        m_objects[ref] = m_pickler.put();
        contents(tasks, ref);
        return next(std::move(tasks));
    }
    if (std::exchange(m_open[ref], true)) throw Error(ErrorKind::Refused, Message("graphmodule.object_cycle"));
    const bool isSet = kind != PickleKind::Tuple;
    if (isSet) {
        m_pickler.global("builtins", kind == PickleKind::Set ? "set" : "frozenset");
        m_pickler.mark();
        m_pickler.emptyList();
    }
    m_pickler.mark();
    for (const PickleRef item : arena().items(ref)) tasks.push_back(copy(item));
    if (isSet) tasks.push_back(op(&Pickler::appends));
    tasks.push_back(op(&Pickler::tuple));
    if (isSet) tasks.push_back(op(&Pickler::reduce));
    tasks.push_back(remember(ref));
    tasks.push_back([this, ref] { m_open.erase(ref); });
    next(std::move(tasks));
}

void ObjectWriter::call(PickleRef ref) {
    const PickleArena& objects = arena();
    const PickleKind kind = objects.kind(ref);
    if (std::exchange(m_open[ref], true)) throw Error(ErrorKind::Refused, Message("graphmodule.object_cycle"));
    std::vector<Task> tasks{copy(objects.callee(ref))};
    if (kind == PickleKind::NewObjEx) {
        for (const PickleRef part : objects.items(objects.args(ref))) tasks.push_back(copy(part));
        tasks.push_back(op(&Pickler::newObjectKeywords));
    } else {
        tasks.push_back(copy(objects.args(ref)));
        tasks.push_back(op(kind == PickleKind::NewObj ? &Pickler::newObject : &Pickler::reduce));
    }
    tasks.push_back(remember(ref));
    tasks.push_back([this, ref] { m_open.erase(ref); });
    contents(tasks, ref);
    if (objects.state(ref) != kNoPickle) {
        tasks.push_back(copy(objects.state(ref)));
        tasks.push_back(op(&Pickler::build));
    }
    next(std::move(tasks));
}

/// ('storage', type, key, device, number of elements): the key is the one in the new file.
void ObjectWriter::storageReference(PickleRef persistent) {
    const PickleArena& objects = arena();
    const std::vector<PickleRef> id = objects.items(objects.callee(persistent));
    if (id.size() < 5 || !objects.is(id[2], PickleKind::String))
        return next({copy(objects.callee(persistent)), op(&Pickler::persistent)});
    const auto storage = m_origin->file->storageNamed(std::string(objects.text(id[2])));
    const std::string key = std::to_string(storageKey(storage, storage->byteCount()));
    next({op(&Pickler::mark), copy(id[0]), copy(id[1]), text(key), copy(id[3]), copy(id[4]), op(&Pickler::tuple),
          op(&Pickler::persistent)});
}

std::size_t ObjectWriter::storageKey(const std::shared_ptr<const Storage>& storage, std::uint64_t bytes) {
    const auto [known, isNew] = m_storageKeys.emplace(storage.get(), m_storages.size());
    if (isNew) m_storages.emplace_back(storage, bytes);
    return known->second;
}

// ── modules as they are now ──────────────────────────────────────────────────────────────────────────────────────

static std::optional<SavedCode> keptCode(const GraphModuleOrigin& origin, const GraphModule& graphModule,
                                         PickleRef object) {
    const auto loaded = origin.loadedGraphs.find(object);
    if (loaded == origin.loadedGraphs.end() || !sameNodes(loaded->second, graphModule.graph)) return std::nullopt;
    const PickleArena& arena = origin.file->arena();
    const std::vector<PickleRef> args = arena.items(arena.args(object));
    PickleRef code = arena.find(args[0], "_code");
    if (code == kNoPickle) code = arena.find(args[0], "code");
    return SavedCode{std::string(arena.text(args[1])), std::string(arena.text(code))};
}

std::optional<SavedCode> keptCode(const GraphModule& model) {
    const auto* origin = dynamic_cast<const GraphModuleOrigin*>(model.origin.get());
    return isNewIn(model, *model.root) ? std::nullopt : keptCode(*origin, model, origin->file->arena().root());
}

bool isNewIn(const GraphModule& model, const Module& module) {
    const auto* origin = dynamic_cast<const GraphModuleOrigin*>(model.origin.get());
    return !origin || origin->file->objectAt(module.origin) == kNoPickle;
}

/// A file that is written anew names no tracer that PyTorch cannot make, not even inside.
static bool needsOtherTracer(const GraphModule& model, const GraphModule& nested) {
    return !trace::tracerClass(nested.tracerClass).refusal.empty() && !keptCode(model);
}

std::optional<SavedCode> keptCode(const GraphModule& model, const Module& nested) {
    const auto* origin = dynamic_cast<const GraphModuleOrigin*>(model.origin.get());
    if (isNewIn(model, nested) || needsOtherTracer(model, *nested.graphModule)) return std::nullopt;
    return keptCode(*origin, *nested.graphModule, origin->file->objectAt(nested.origin));
}

bool savesClassName(const GraphModule& model, const Module& module) {
    return &module == model.root.get() && isNewIn(model, module) && !module.className.empty() &&
           module.className != "GraphModule" && !module.attribute("_graphmodule_cls_name");
}

std::string savedTracer(const GraphModule& model, bool isNew) {
    const trace::TracerClass tracer = trace::tracerClass(model.tracerClass);
    return tracer.refusal.empty() && (tracer.isKnown || !isNew) ? model.tracerClass : std::string();
}

void ObjectWriter::graphModule(const Module& module, const GraphModule& graphModule, PickleRef object) {
    auto kept = m_origin && object != kNoPickle ? keptCode(*m_origin, graphModule, object) : std::nullopt;
    if (kept && needsOtherTracer(m_model, graphModule)) kept.reset();
    const std::string tracer = kept ? graphModule.tracerClass : savedTracer(graphModule, object == kNoPickle);
    const auto code = std::make_shared<const SavedCode>(kept ? *std::move(kept) : m_generate(graphModule));
    const PickleRef body = object == kNoPickle ? kNoPickle : arena().items(arena().args(object))[0];
    m_pickler.global("torch.fx.graph_module", "reduce_graph_module");
    m_pickler.mark();
    std::vector<Task> tasks;
    fields(tasks, module, body, &code->text, tracer);
    tasks.push_back([this, code] { m_pickler.text(code->imports); });
    tasks.push_back(op(&Pickler::tuple));
    tasks.push_back(op(&Pickler::reduce));
    tasks.push_back([this, &module] { m_modules[&module] = m_pickler.put(); });
    next(std::move(tasks));
}

void ObjectWriter::module(const Module& module) {
    if (const auto known = m_modules.find(&module); known != m_modules.end()) return m_pickler.get(known->second);
    const PickleRef ref = objectOf(module.origin);
    if (module.graphModule)
        return graphModule(module, *module.graphModule,
                           ref != kNoPickle && m_origin->loadedGraphs.contains(ref) ? ref : kNoPickle);
    if (ref == kNoPickle) return newModule(module);
    const PickleArena& objects = arena();
    const PickleRef state = objects.state(ref);
    const bool isPlain = state != kNoPickle &&
                         (objects.is(state, PickleKind::Dict) || objects.isCallOf(state, "collections.OrderedDict"));
    const auto rememberModule = [this, &module] { m_modules[&module] = m_pickler.put(); };
    if (!isPlain) { // a state of its own: as it was
        m_modulesOf.erase(ref);
        return next({copy(ref), rememberModule});
    }
    std::vector<Task> tasks;
    addCopy(tasks, objects.callee(ref));
    addCopy(tasks, objects.args(ref));
    flatOp(tasks, objects.kind(ref) == PickleKind::NewObj ? &Pickler::newObject : &Pickler::reduce);
    flat(tasks, rememberModule);
    fields(tasks, module, state, nullptr);
    flatOp(tasks, &Pickler::build);
    next(std::move(tasks));
}

void ObjectWriter::newModule(const Module& module) {
    const bool isMkldnn = module.classModule == "torch.utils.mkldnn";
    // Weights of recurrent layers in float16 are not written as PyTorch's objects, without which it loads but cannot
    // run them.
    const bool isRecurrent =
        module.classModule == "torch.ao.nn.quantized.dynamic.modules.rnn" && module.attribute("weight_ih");
    if (isMkldnn || isRecurrent || hasStateTuple(module)) {
        const MessageArgument type("type", module.qualifiedType());
        Error error(ErrorKind::Refused, isMkldnn      ? Message("graphmodule.mkldnn", {type})
                                        : isRecurrent ? Message("graphmodule.quantized_recurrent", {type})
                                                      : Message("graphmodule.quantized_conv", {type}));
        forEachModule(*m_model.root, [&](const std::string& path, const Module& each) {
            if (&each == &module) error.modulePath = path;
        });
        throw error;
    }
    if (!module.classModule.starts_with("torch.") && module.className != "Module")
        warnings.push_back({Message("graphmodule.needs_class", {{"type", module.qualifiedType()}}), {}, {}, {}});
    writeGlobal(m_pickler, module.classModule.empty() ? "torch.nn.modules.module" : module.classModule,
                module.className);
    m_pickler.emptyTuple();
    m_pickler.newObject();
    m_modules[&module] = m_pickler.put();
    std::vector<Task> tasks;
    fields(tasks, module, kNoPickle, nullptr);
    flatOp(tasks, &Pickler::build);
    next(std::move(tasks));
}

void ObjectWriter::fields(std::vector<Task>& tasks, const Module& module, PickleRef state, const std::string* code,
                          const std::string& tracer) {
    flatOp(tasks, &Pickler::emptyDict);
    flatOp(tasks, &Pickler::mark);
    std::vector<std::string_view> done;
    if (state == kNoPickle) {
        standardFields(tasks, module);
        if (code && savesClassName(m_model, module)) {
            flatText(tasks, "_graphmodule_cls_name");
            flatText(tasks, module.className);
            done.push_back("_graphmodule_cls_name");
        }
        if (const std::size_t dot = tracer.rfind('.'); dot != std::string::npos) {
            flatText(tasks, "_tracer_cls");
            tasks.push_back([this, tracer, dot] { m_pickler.global(tracer.substr(0, dot), tracer.substr(dot + 1)); });
        }
    } else {
        for (const auto& [key, value] : textEntries(arena(), state)) {
            done.push_back(key);
            if (code && (key == "_code" || key == "code" || key == "_lineno_map" || key == "_prologue_start")) continue;
            if (code && key == "_tracer_cls" && tracer.empty()) continue;
            keptField(tasks, module, key, value);
        }
    }
    if (code) {
        flatText(tasks, "_code");
        flatText(tasks, *code);
    }
    const bool packs = !packedField(module).empty();
    for (const auto& [name, value] : module.attributes) {
        if (std::find(done.begin(), done.end(), name) != done.end()) continue;
        if (code && isGraphModuleField(name)) continue; // torch.load would run another "_code"
        if (packs && (name == "weight" || name == "bias")) continue;
        if (state == kNoPickle && newHooksOf(module, name)) continue;
        flatName(tasks, name);
        if (state == kNoPickle && name == "_flat_weights") flatWeights(tasks, module);
        else if (const auto* held = std::get_if<TensorPtr>(&value)) addTensor(tasks, *held);
        else addArgument(tasks, std::get<Argument>(value));
    }
    packedParams(tasks, module);
    flatOp(tasks, &Pickler::setItems);
}

/// A new LSTM, GRU or RNN holds its parameters once more, in a list.
void ObjectWriter::flatWeights(std::vector<Task>& tasks, const Module& module) {
    flatOp(tasks, &Pickler::emptyList);
    flatOp(tasks, &Pickler::mark);
    for (const Module::Slot& slot : module.parameters) addTensor(tasks, slot.tensor);
    flatOp(tasks, &Pickler::appends);
}

/// A field that the file had: what modules are made of as it is now, other things as they were.
void ObjectWriter::keptField(std::vector<Task>& tasks, const Module& module, std::string_view name, PickleRef value) {
    if (const auto own = ownNamed(name)) return ownField(tasks, module, *own, value);
    const auto* attribute = module.attribute(name);
    const auto* held = attribute ? std::get_if<TensorPtr>(attribute) : nullptr;
    if (!attribute && (module.parameter(name) || module.buffer(name) || module.child(name)))
        return;                                                            // it has become one of these
    if (name == packedField(module) && module.attribute("weight")) return; // written with the weight as it is now
    flatName(tasks, name);
    if (held) addTensor(tasks, *held);
    else if (isHookField(name) && isEmptyOrderedDict(value)) flat(tasks, [this] { pickleEmptyOrderedDict(m_pickler); });
    else addCopy(tasks, value);
}

/// With nothing in it, and of which nothing else written so far knows.
bool ObjectWriter::isEmptyOrderedDict(PickleRef ref) const {
    const PickleArena& objects = arena();
    return objects.isCallOf(ref, "collections.OrderedDict") && objects.items(objects.args(ref)).empty() &&
           objects.items(ref).empty() && objects.pairs(ref).empty() && objects.state(ref) == kNoPickle &&
           !m_objects.contains(ref);
}

/// Adds an object of the file, which goes deeper only if it has parts.
void ObjectWriter::addCopy(std::vector<Task>& tasks, PickleRef ref) {
    static constexpr PickleKind kWhole[] = {PickleKind::None,   PickleKind::Bool,      PickleKind::Int,
                                            PickleKind::BigInt, PickleKind::Float,     PickleKind::String,
                                            PickleKind::Bytes,  PickleKind::ByteArray, PickleKind::Global};
    const PickleKind kind = arena().kind(ref);
    const bool isWhole = std::find(std::begin(kWhole), std::end(kWhole), kind) != std::end(kWhole) || isEmptyTuple(ref);
    if (isWhole) flat(tasks, copy(ref));
    else tasks.push_back(copy(ref));
}

bool ObjectWriter::isEmptyTuple(PickleRef ref) const {
    return arena().kind(ref) == PickleKind::Tuple && arena().items(ref).empty();
}

void ObjectWriter::standardFields(std::vector<Task>& tasks, const Module& module) {
    for (const Own field : {Own::Training, Own::Parameters, Own::Buffers, Own::NonPersistent})
        ownField(tasks, module, field, kNoPickle);
    hookFields(tasks, module);
    ownField(tasks, module, Own::Modules, kNoPickle);
}

void ObjectWriter::hookFields(std::vector<Task>& tasks, const Module& module) {
    const auto write = [this, &module] {
        for (const std::string_view name : moduleFields()) {
            if (ownNamed(name)) continue;
            m_pickler.name(name);
            if (const Argument* hooks = newHooksOf(module, name)) newHooks(*hooks);
            else if (name == "_is_full_backward_hook") m_pickler.none();
            else pickleEmptyOrderedDict(m_pickler);
        }
    };
    if (module.setting("_forward_pre_hooks")) flat(tasks, write);
    else flat(tasks, [this, write] { m_pickler.again(m_noHooks, write); });
}

/// PyTorch's loading keeps one of several names of a module or tensor; the code of the file, as long as it is kept, may
/// use the others.
void ObjectWriter::secondNames(std::vector<Task>& tasks, const Module& module, PickleRef before) {
    if (before == kNoPickle || &module != m_model.root.get() || !keptCode(m_model)) return;
    for (const auto& [name, value] : textEntries(arena(), before)) {
        const bool gone =
            !module.child(name) && !module.parameter(name) && !module.buffer(name) && !module.attribute(name);
        if (!gone || (!m_modulesOf.contains(value) && !m_tensorsOf.contains(value))) continue;
        flatText(tasks, name);
        tasks.push_back(copy(value));
    }
}

void ObjectWriter::slots(std::vector<Task>& tasks, const Module& module, const std::vector<Module::Slot>& all,
                         PickleRef before) {
    flatOp(tasks, &Pickler::emptyDict);
    flatOp(tasks, &Pickler::mark);
    for (const Module::Slot& slot : all) {
        if (isComputed(slot.tensor)) continue;
        flatName(tasks, slot.name);
        addTensor(tasks, slot.tensor);
    }
    secondNames(tasks, module, before);
    flatOp(tasks, &Pickler::setItems);
}

std::optional<ObjectWriter::Own> ObjectWriter::ownNamed(std::string_view name) {
    const auto found = std::find(kOwnFields.begin(), kOwnFields.end(), name);
    return found == kOwnFields.end() ? std::nullopt : std::optional(static_cast<Own>(found - kOwnFields.begin()));
}

void ObjectWriter::ownField(std::vector<Task>& tasks, const Module& module, Own field, PickleRef before) {
    flatName(tasks, kOwnFields[static_cast<std::size_t>(field)]);
    switch (field) {
    case Own::Training: return flat(tasks, [this, &module] { m_pickler.boolean(module.training); });
    case Own::Parameters: return slots(tasks, module, module.parameters, before);
    case Own::Buffers: return slots(tasks, module, module.buffers, before);
    case Own::NonPersistent:
        return flat(tasks, [this, &module] {
            const auto write = [this, &module] { nonPersistentNames(module); };
            module.buffers.empty() ? m_pickler.again(m_emptySet, write) : write();
        });
    case Own::Modules: break;
    }
    flatOp(tasks, &Pickler::emptyDict);
    flatOp(tasks, &Pickler::mark);
    for (const Module::Child& child : module.children) {
        if (child.module && isPackedParams(*child.module)) continue;
        tasks.push_back([this, &child] {
            m_pickler.text(child.name);
            child.module ? this->module(*child.module) : m_pickler.none();
        });
    }
    secondNames(tasks, module, before);
    flatOp(tasks, &Pickler::setItems);
}

/// A set, as a call.
void ObjectWriter::nonPersistentNames(const Module& module) {
    m_pickler.global("builtins", "set");
    m_pickler.mark();
    m_pickler.emptyList();
    m_pickler.mark();
    for (const Module::Slot& slot : module.buffers)
        if (!slot.persistent) m_pickler.text(slot.name);
    m_pickler.appends();
    m_pickler.tuple();
    m_pickler.reduce();
}

} // namespace fx
