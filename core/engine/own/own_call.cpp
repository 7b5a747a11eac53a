// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/own/own_call.h"

#include "core/base/memory.h"
#include "core/base/utf8.h"
#include "core/engine/calls.h"
#include "core/engine/dispatch.h"
#include "core/engine/machine.h"
#include "core/engine/outside.h"
#include "core/engine/own/own_values.h"
#include "core/module/stand_in.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace fx::engine {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<const Progress*> currentStop;
OwnTime spent;

/// The Python of a source: the pipes to it.
class OwnProcess {
public:
    OwnProcess(int to, int from, std::chrono::seconds limit) : m_to(to), m_from(from), m_limit(limit) {}
    ~OwnProcess() { end(); }
    OwnProcess(const OwnProcess&) = delete;
    OwnProcess& operator=(const OwnProcess&) = delete;

    std::uint64_t next = 1;            ///< number of the next storage or object
    std::vector<std::int64_t> dropped; ///< objects that Python need not keep

    /// Sends a message and returns the answer. After a failure, nothing more is asked of it.
    std::vector<std::byte> ask(OwnMessage& message) {
        if (m_to < 0) throw runError(Message("engine.own_ended"));
        m_deadline = Clock::now() + m_limit;
        try {
            for (const auto piece : message.pieces()) write(piece);
            std::vector<std::byte> head = read(sizeof(std::uint64_t));
            std::uint64_t size = 0;
            for (std::size_t i = 0; i < head.size(); ++i) size |= std::to_integer<std::uint64_t>(head[i]) << (8 * i);
            constexpr std::uint64_t kAlwaysTaken = 64 << 20;
            if (size > std::max(freeMemory() / 2, kAlwaysTaken))
                throw runError(Message("engine.own_answer", {{"detail", "it needs more memory than is free"}}));
            return read(size);
        } catch (const Error&) {
            end();
            throw;
        }
    }
    void end() {
        if (m_to >= 0) ::close(std::exchange(m_to, -1));
        if (m_from >= 0) ::close(std::exchange(m_from, -1));
    }

private:
    void write(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t count = ::write(m_to, bytes.data(), bytes.size());
            if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
            else wait(m_to, POLLOUT);
        }
    }
    /// Takes memory as bytes arrive: a length alone may be a lie.
    std::vector<std::byte> read(std::uint64_t size) {
        constexpr std::uint64_t kFirst = 1 << 20;
        std::vector<std::byte> out;
        for (std::uint64_t done = 0; done < size;) {
            if (done == out.size()) out.resize(static_cast<std::size_t>(std::min(size, std::max(kFirst, 2 * done))));
            const ssize_t count = ::read(m_from, out.data() + done, out.size() - done);
            if (count == 0) throw runError(Message("engine.own_ended"));
            if (count > 0) done += static_cast<std::uint64_t>(count);
            else wait(m_from, POLLIN);
        }
        return out;
    }
    /// Waits a moment after a call of the system that has failed.
    void wait(int descriptor, short event) const {
        constexpr int kPauseMs = 20;
        if (errno != EAGAIN && errno != EINTR) throw runError(Message("engine.own_ended"));
        pollfd waiting{descriptor, event, 0};
        ::poll(&waiting, 1, kPauseMs);
        if (const Progress* progress = currentStop) progress->check();
        if (Clock::now() > m_deadline)
            throw runError(Message("engine.own_slow", {{"seconds", static_cast<std::int64_t>(m_limit.count())}}));
    }

    int m_to, m_from;
    const std::chrono::seconds m_limit;
    Clock::time_point m_deadline;
};

std::map<std::string, std::shared_ptr<OwnProcess>>& processes() {
    static std::map<std::string, std::shared_ptr<OwnProcess>> known;
    return known;
}

/// A part of what says where a call is defined; see `kOwnPython`.
std::string part(const Module& module, std::size_t index) {
    const auto* parts = module.setting<Sequence>(kOwnPython);
    const auto* text = parts && index < parts->items.size() ? parts->items[index].as<std::string>() : nullptr;
    return text ? *text : std::string();
}

/// An object of Python that stands for a module in one store of tensors, and the storages that it holds.
struct OwnObject : torch::CustomClassHolder {
    std::shared_ptr<OwnProcess> process;
    std::int64_t number = 0;
    bool isMade = false;
    struct Held {
        c10::Storage storage;
        std::uint64_t number = 0;
        std::int64_t version = 0;
    };
    std::unordered_map<const TensorRef*, Held> held;
    std::vector<TensorPtr> tensors; ///< parameters, buffers and tensors of the module and those below, each once
    std::unordered_map<const TensorRef*, std::int64_t> places; ///< in `tensors`

    ~OwnObject() override {
        if (process) process->dropped.push_back(number);
    }
    std::int64_t indexOf(const TensorPtr& tensor) {
        const auto [place, isNew] = places.emplace(tensor.get(), static_cast<std::int64_t>(tensors.size()));
        if (isNew) tensors.push_back(tensor);
        return place->second;
    }
};

Value dictOf(std::vector<std::pair<Value, Value>> items) {
    return std::make_shared<Mapping>(Mapping{std::move(items)});
}

/// Attributes that are data; Python takes others from the model that the source makes.
Value attributesOf(const Module& module) {
    Values out;
    for (const auto& [name, value] : module.attributes) {
        const auto* argument = std::get_if<Argument>(&value);
        if (!argument || name.ends_with("_hooks") || name == kOwnPython || name == kRefusal) continue;
        Value data = toValue(*argument, [](NodeId) { return Value(); });
        try {
            std::uint64_t unused = 0;
            OwnMessage(unused).put(data);
        } catch (const Error&) { continue; }
        out.push_back(Value::tuple({name, std::move(data)}));
    }
    return Value::list(std::move(out));
}

/// A module and those below, as data, with its tensors as indices in `object.tensors`.
Value described(const Module& root, const std::string& path, OwnObject& object) {
    std::unordered_map<const Module*, std::int64_t> places;
    std::vector<std::pair<std::string, const Module*>> order;
    forEachModule(root, [&](const std::string& below, const Module& module) {
        places.emplace(&module, static_cast<std::int64_t>(order.size()));
        order.emplace_back(below.empty() || path.empty() ? path + below : path + "." + below, &module);
    });
    const auto indexed = [&](const TensorPtr& tensor) { return tensor ? Value(object.indexOf(tensor)) : Value(); };
    Values modules;
    for (const auto& [place, module] : order) {
        Values parameters, buffers, tensors, children;
        for (const Module::Slot& slot : module->parameters)
            parameters.push_back(Value::tuple({slot.name, indexed(slot.tensor)}));
        for (const Module::Slot& slot : module->buffers)
            buffers.push_back(Value::tuple({slot.name, indexed(slot.tensor), slot.persistent}));
        for (const auto& [name, value] : module->attributes)
            if (const auto* tensor = std::get_if<TensorPtr>(&value); tensor && *tensor)
                tensors.push_back(Value::tuple({name, indexed(*tensor)}));
        for (const Module::Child& child : module->children)
            children.push_back(
                Value::tuple({child.name, child.module ? Value(places.at(child.module.get())) : Value()}));
        modules.push_back(dictOf({{"path", place},
                                  {"module", module->classModule},
                                  {"class", module->className},
                                  {"training", module->training},
                                  {"parameters", Value::list(std::move(parameters))},
                                  {"buffers", Value::list(std::move(buffers))},
                                  {"tensors", Value::list(std::move(tensors))},
                                  {"attributes", attributesOf(*module)},
                                  {"children", Value::list(std::move(children))}}));
    }
    return dictOf({{"kind", "module"}, {"modules", Value::list(std::move(modules))}});
}

OwnObject& objectOf(const Module& module, TensorStore& tensors, const std::shared_ptr<OwnProcess>& process) {
    // The store keeps it as it keeps the objects of scripts, which also have a state that `restore` resets.
    const std::string key = "python " + std::to_string(reinterpret_cast<std::uintptr_t>(&module));
    const auto& kept = tensors.script(key, [&] {
        auto made = c10::make_intrusive<OwnObject>();
        made->process = process;
        made->number = static_cast<std::int64_t>(process->next++);
        return TensorStore::ScriptCopy{c10::IValue::make_capsule(std::move(made)), {}};
    });
    return static_cast<OwnObject&>(*kept.loaded.toCapsule());
}

/// The state of an object as it is now. Parameters that have not changed since the last call are not sent again.
Value stateOf(OwnObject& object, TensorStore& tensors, OwnMessage& message) {
    Values out;
    for (const TensorPtr& ref : object.tensors) {
        const at::Tensor& tensor = tensors.tensor(ref);
        if (!tensor.has_storage()) {
            out.emplace_back(tensor); // which `put` refuses
            continue;
        }
        auto [held, isNew] = object.held.try_emplace(ref.get());
        const auto* storage = tensor.storage().unsafeGetStorageImpl();
        isNew = isNew || held->second.storage.unsafeGetStorageImpl() != storage;
        if (isNew) held->second = {tensor.storage(), object.process->next++, 0};
        const std::int64_t version = tensor.is_inference() ? -1 : tensor._version();
        const bool isSame = object.isMade && !isNew && ref->isParameter && version == held->second.version;
        message.know(tensor.storage(), held->second.number, !isSame);
        out.emplace_back(tensor);
    }
    return Value::list(std::move(out));
}

/// Takes what the call has replaced: `self.h = h`.
void replaceState(const Value& replaced, OwnObject& object, TensorStore& tensors, const OwnAnswer& answer) {
    for (const Value& each : replaced.items()->items) {
        const auto& pair = each.items()->items;
        const TensorPtr& ref = object.tensors[static_cast<std::size_t>(*pair[0].as<std::int64_t>())];
        const at::Tensor& now = pair[1].tensor();
        tensors.replace(ref, now);
        if (const std::uint64_t number = answer.numberOf(now.storage()))
            object.held[ref.get()] = {now.storage(), number, 0};
        else object.held.erase(ref.get());
    }
}

bool isReplaced(const Value& replaced, const OwnObject& object) {
    const Items* all = replaced.items();
    return all && std::all_of(all->items.begin(), all->items.end(), [&](const Value& each) {
               const Items* pair = each.items();
               const auto* index = pair && pair->items.size() == 2 ? pair->items[0].as<std::int64_t>() : nullptr;
               return index && *index >= 0 && static_cast<std::size_t>(*index) < object.tensors.size() &&
                      pair->items[1].isTensor();
           });
}

/// Throws what Python has raised. Returns the parts of a result.
const Values& checked(const Value& answer, const OwnObject& object, const std::string& name) {
    const Items* parts = answer.items();
    const bool isWhole = parts && parts->items.size() == 4 && parts->items[0].text();
    const std::string kind = isWhole ? *parts->items[0].text() : std::string();
    const auto textOf = [&](std::size_t i) {
        constexpr std::size_t kMostShown = 2000;
        const std::string* text = parts->items[i].text();
        return text ? std::string(wholeCharacters(*text, kMostShown)) : std::string();
    };
    if (kind == "error") {
        fx::Error error = runError(Message(
            "engine.own_raised", {{"name", name}, {"text", textOf(1) + ": " + textOf(2)}, {"class", textOf(1)}}));
        throw error.at(textOf(3));
    }
    if (kind != "ok" || !isReplaced(parts->items[2], object) || !parts->items[3].isTensor())
        throw runError(Message("engine.own_answer", {{"detail", "it is no result"}}));
    return parts->items;
}

} // namespace

void addOwnPython(const std::string& source, int to, int from, std::chrono::seconds limit) {
    ::signal(SIGPIPE, SIG_IGN); // of a Python that has ended; writing says so, too
    processes().insert_or_assign(source, std::make_shared<OwnProcess>(to, from, limit));
}

OwnCallsStop::OwnCallsStop(const Progress& progress) { currentStop = &progress; }
OwnCallsStop::~OwnCallsStop() { currentStop = nullptr; }

OwnTime ownTime() { return spent; }

bool isOwnCall(const Module& module) { return module.attribute(kOwnPython) && processes().contains(part(module, 0)); }

Value callOwn(const Module& module, TensorStore& tensors, const Arguments& arguments) {
    InferenceOnly::refuse("Python");
    if (tensors.holdsShapes())
        throw runError(Message("engine.needs_values", {{"detail", "Python code may decide by values"}}));
    const auto start = Clock::now();
    const c10::InferenceMode ordinary(false);
    const at::NoGradGuard noGradients;
    const auto& process = processes().at(part(module, 0));
    OwnObject& object = objectOf(module, tensors, process);
    const std::string path = part(module, 1), kind = part(module, 2), space = part(module, 3), name = part(module, 4);
    Value what;
    if (!object.isMade) {
        object.tensors.clear(), object.places.clear(), object.held.clear();
        what = kind == "module" ? described(module, path, object)
                                : dictOf({{"kind", kind}, {"module", space}, {"name", name}});
    }
    OwnMessage message(process->next);
    const Value state = stateOf(object, tensors, message);
    std::vector<std::pair<Value, Value>> named;
    for (const auto& [keyword, value] : arguments.named) named.emplace_back(keyword, value);
    Values dropped(process->dropped.begin(), process->dropped.end());
    message.put(Value::tuple({object.number, what, state, Value::tuple(arguments.positional), dictOf(std::move(named)),
                              callFunction("torch.random.get_rng_state", Values()), std::int64_t{threads()},
                              Value::list(std::move(dropped))}));
    process->dropped.clear();
    object.isMade = false; // until it has answered: what an exception left is not used
    const std::vector<std::byte> bytes = process->ask(message);
    try {
        const OwnAnswer answer(bytes, message);
        const Values& parts = checked(answer.value(), object, kind == "module" ? module.qualifiedType() : name);
        answer.apply();
        replaceState(parts[2], object, tensors, answer);
        for (const TensorPtr& ref : object.tensors)
            if (const at::Tensor& now = tensors.tensor(ref); !now.is_inference())
                object.held[ref.get()].version = now._version();
        (void)callFunction("torch.random.set_rng_state", Values{parts[3]});
        object.isMade = true;
        spent.calls += 1, spent.seconds += std::chrono::duration<double>(Clock::now() - start).count();
        return parts[1];
    } catch (const Error& error) {
        if (error.message().is("engine.own_answer")) process->end();
        throw;
    }
}

} // namespace fx::engine
