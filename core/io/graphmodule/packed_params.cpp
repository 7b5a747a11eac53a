// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/packed_params.h"

#include "core/io/graphmodule/object_writer.h"
#include "core/io/graphmodule/tensor_pickle.h"
#include "core/module/script_object.h"
#include "core/tensor/elements.h"

#include <cstring>

namespace fx {
namespace {

constexpr std::string_view kLinearClass = "__torch__.torch.classes.quantized.LinearPackedParamsBase";

/// What a quantised convolution is pickled with, as PyTorch packs it: int16 numbers.
TensorPtr convNumbers(const Module& module) {
    std::vector<std::int16_t> numbers{static_cast<std::int16_t>(module.className[4] - '0')};
    const auto value = [&](const char* name) { return module.setting(name); };
    for (const char* name : {"stride", "padding", "dilation", "output_padding"}) {
        const Argument* sizes = value(name);
        const auto* sequence = sizes ? sizes->as<Sequence>() : nullptr;
        for (std::int16_t i = 0; i < numbers[0]; ++i) {
            const auto place = static_cast<std::size_t>(i);
            const auto* size =
                sequence && place < sequence->items.size() ? sequence->items[place].as<std::int64_t>() : nullptr;
            numbers.push_back(size ? static_cast<std::int16_t>(*size) : std::int16_t{0});
        }
    }
    const auto* groups = value("groups") ? value("groups")->as<std::int64_t>() : nullptr;
    numbers.push_back(groups ? static_cast<std::int16_t>(*groups) : std::int16_t{1});
    const auto* flag = value("transposed") ? value("transposed")->as<bool>() : nullptr;
    const bool transposed =
        flag ? *flag : value("output_padding") != nullptr; // only transposed ones are packed with it
    numbers.push_back(transposed ? std::int16_t{1} : std::int16_t{0});
    TensorRef out;
    out.dtype = DType::Int16;
    out.sizes = {static_cast<std::int64_t>(numbers.size())}, out.strides = {1};
    std::vector<std::byte> bytes(numbers.size() * sizeof(std::int16_t));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    out.storage = Storage::inMemory(std::move(bytes));
    return std::make_shared<const TensorRef>(std::move(out));
}

Argument integers(const std::vector<double>& numbers, std::size_t from, std::size_t count) {
    std::vector<Argument> items;
    for (std::size_t i = from; i < from + count; ++i) items.emplace_back(static_cast<std::int64_t>(numbers[i]));
    return Argument::tuple(std::move(items));
}

/// The class and content of an object: torch.save writes torch.ScriptObject with the state (content, class),
/// TorchScript the class with its content. An empty class for what is neither.
std::pair<std::string, PickleRef> classAndState(const PickleArena& arena, PickleRef object) {
    if (!arena.is(object, PickleKind::NewObj) || arena.state(object) == kNoPickle) return {};
    const PickleRef state = arena.state(object);
    std::string type = arena.qualifiedName(arena.callee(object));
    if (type != "torch.ScriptObject") return {std::move(type), state};
    const auto parts = arena.is(state, PickleKind::Tuple) ? arena.items(state) : std::vector<PickleRef>();
    if (parts.size() != 2 || !arena.is(parts[1], PickleKind::String)) return {};
    return {std::string(arena.text(parts[1])), parts[0]};
}

class Reader {
public:
    Reader(TorchFile& file, Module& module) : m_file(file), m_arena(file.arena()), m_module(module) {}

    /// ((weight, bias), class)
    bool linear(PickleRef state) {
        const auto parts = itemsOf(state);
        return parts.size() >= 2 && tensor("weight", parts[0]) && optional("bias", parts[1]);
    }
    /// ((1, [weight], [], [bits]), class)
    bool embedding(PickleRef state) {
        const auto parts = itemsOf(state);
        const auto tensors = parts.size() == 4 ? itemsOf(parts[1]) : std::vector<PickleRef>();
        return tensors.size() == 1 && tensor("weight", tensors[0]);
    }
    /// (("quantized_dynamic", [bias_ih, bias_hh], [], [reduce_range], [weight_ih, weight_hh]), class); "quantized_fp16"
    /// has the biases in the weights only.
    bool cell(PickleRef state) {
        const auto parts = itemsOf(state);
        if (parts.size() != 5 || !m_arena.is(parts[0], PickleKind::String)) return false;
        const bool isHalf = m_arena.text(parts[0]) == "quantized_fp16";
        const auto biases = itemsOf(parts[1]), flags = itemsOf(parts[3]), weights = itemsOf(parts[4]);
        if ((!isHalf && m_arena.text(parts[0]) != "quantized_dynamic") || weights.size() != 2) return false;
        if (!isHalf) {
            if (biases.size() != 2 || flags.size() != 1 || !m_arena.is(flags[0], PickleKind::Int)) return false;
            if (!tensor("bias_ih", biases[0]) || !tensor("bias_hh", biases[1])) return false;
            put("reduce_range", m_arena.integer(flags[0]) != 0);
        }
        const char* const names[] = {"weight_ih", "weight_hh"};
        for (std::size_t i = 0; i < 2; ++i) {
            const auto [type, content] = classAndState(m_arena, weights[i]);
            if (type != kLinearClass) return false;
            auto packed = readPackedState(m_file, type, content);
            if (!packed) return false;
            m_module.children.push_back({names[i], std::move(packed)});
        }
        return true;
    }
    /// (("2", [numbers, weight], [bias]), class): numbers are dimensions, stride, padding, dilation, output padding,
    /// groups and whether it is transposed.
    bool convolution(PickleRef state) {
        const auto parts = itemsOf(state);
        if (parts.size() != 3 || !m_arena.is(parts[0], PickleKind::String) || m_arena.text(parts[0]) != "2")
            return false;
        const auto tensors = itemsOf(parts[1]), optionals = itemsOf(parts[2]);
        if (tensors.size() != 2 || optionals.empty()) return false;
        const TensorPtr settings = m_file.tensor(tensors[0]);
        const std::vector<double> numbers = settings ? elementValues(*settings) : std::vector<double>();
        const std::size_t dims = numbers.empty() ? 0 : static_cast<std::size_t>(numbers[0]);
        if (dims < 1 || dims > 3 || numbers.size() != 4 * dims + 3) return false;
        if (!tensor("weight", tensors[1]) || !optional("bias", optionals.back())) return false;
        const char* const names[] = {"stride", "padding", "dilation", "output_padding"};
        for (std::size_t i = 0; i < 4; ++i) put(names[i], integers(numbers, 1 + i * dims, dims));
        put("groups", static_cast<std::int64_t>(numbers[4 * dims + 1]));
        put("transposed", numbers[4 * dims + 2] != 0);
        return true;
    }

private:
    /// TorchScript writes lists as calls with their type.
    std::vector<PickleRef> itemsOf(PickleRef ref) const {
        if (m_arena.is(ref, PickleKind::Reduce) &&
            m_arena.qualifiedName(m_arena.callee(ref)).starts_with("torch.jit._pickle."))
            if (const auto args = m_arena.items(m_arena.args(ref)); !args.empty()) ref = args[0];
        const bool isSequence = m_arena.is(ref, PickleKind::Tuple) || m_arena.is(ref, PickleKind::List);
        return isSequence ? m_arena.items(ref) : std::vector<PickleRef>();
    }
    bool tensor(const char* name, PickleRef ref) {
        TensorPtr read = m_file.isTensor(ref) ? m_file.tensor(ref) : nullptr;
        if (read) m_module.attributes.emplace_back(name, std::move(read));
        return read || m_module.attribute(name);
    }
    bool optional(const char* name, PickleRef ref) {
        if (!m_arena.is(ref, PickleKind::None)) return tensor(name, ref);
        put(name, Argument());
        return true;
    }
    void put(const char* name, Argument value) { m_module.attributes.emplace_back(name, std::move(value)); }

    TorchFile& m_file;
    const PickleArena& m_arena;
    Module& m_module;
};

} // namespace

std::shared_ptr<Module> readPackedState(TorchFile& file, const std::string& className, PickleRef state) {
    const bool isCell = className == kCellClass;
    if (!isCell && !className.starts_with(kPackedClasses)) return nullptr;
    const auto module = emptyModule(className);
    module->training = false;
    Reader reader(file, *module);
    const std::string_view name = module->className;
    const bool known = isCell                          ? reader.cell(state)
                       : name.starts_with("Linear")    ? reader.linear(state)
                       : name.starts_with("Embedding") ? reader.embedding(state)
                       : name.starts_with("Conv")      ? reader.convolution(state)
                                                       : false;
    return known ? module : nullptr;
}

std::shared_ptr<Module> readPackedParams(TorchFile& file, PickleRef object) {
    const auto [type, state] = classAndState(file.arena(), object);
    return type.empty() ? nullptr : readPackedState(file, type, state);
}

bool isPackedParams(const Module& module) {
    return isScriptObject(module) &&
           (module.qualifiedType().starts_with(kPackedClasses) || module.qualifiedType() == kCellClass);
}

std::string_view packedField(const Module& module) {
    if (module.className == "LinearPackedParams" && module.classModule == "torch.ao.nn.quantized.modules.linear")
        return "_packed_params";
    if (module.className == "EmbeddingPackedParams") return "_packed_weight";
    return {};
}

bool hasStateTuple(const Module& module) {
    const std::string_view place = module.classModule;
    return module.className.starts_with("Conv") &&
           (place == "torch.ao.nn.quantized.modules.conv" || place == "torch.ao.nn.quantized.dynamic.modules.conv" ||
            place.starts_with("torch.ao.nn.intrinsic.quantized.modules.conv"));
}

// ── writing ──

/// The quantizer after the geometry: (scheme, scale, zero point) or (scheme, scales, zero points, axis).
void ObjectWriter::quantizedTensor(const TensorRef& tensor) {
    const Quantizer& quantizer = *tensor.quantizer;
    m_pickler.global("torch._utils", "_rebuild_qtensor");
    m_pickler.mark();
    pickleStorage(m_pickler, tensor, storageKey(tensor.storage, tensor.storage->byteCount()), tensor.device);
    m_pickler.integer(tensor.offset);
    for (const auto* numbers : {&tensor.sizes, &tensor.strides}) {
        m_pickler.mark();
        for (const std::int64_t number : *numbers) m_pickler.integer(number);
        m_pickler.tuple();
    }
    m_pickler.mark();
    if (quantizer.perChannel) {
        const bool isFloat = quantizer.zeroPoints->dtype == DType::Float32;
        m_pickler.global("torch", isFloat ? "per_channel_affine_float_qparams" : "per_channel_affine");
        newTensor(*quantizer.scales);
        newTensor(*quantizer.zeroPoints);
        m_pickler.integer(quantizer.axis);
    } else {
        m_pickler.global("torch", "per_tensor_affine");
        m_pickler.real(quantizer.scale);
        m_pickler.integer(quantizer.zeroPoint);
    }
    m_pickler.tuple();
    m_pickler.boolean(false);
    pickleEmptyOrderedDict(m_pickler);
    m_pickler.tuple();
    m_pickler.reduce();
}

/// torch.ScriptObject with the state (content, class).
void ObjectWriter::scriptObject(std::vector<Task>& tasks, const Module& module, const std::string& type) {
    const std::string_view className = std::string_view(type).substr(type.rfind('.') + 1);
    const auto global = [this] { m_pickler.global("torch", "ScriptObject"); };
    flat(tasks, global);
    for (const auto step : {&Pickler::emptyTuple, &Pickler::newObject, &Pickler::mark, &Pickler::mark})
        flatOp(tasks, step);
    const auto held = [&](const char* name) {
        const auto* attribute = module.attribute(name);
        const auto* tensor = attribute ? std::get_if<TensorPtr>(attribute) : nullptr;
        if (tensor) addTensor(tasks, *tensor);
        else flatOp(tasks, &Pickler::none);
    };
    const auto list = [&](const auto& content) {
        flatOp(tasks, &Pickler::emptyList);
        flatOp(tasks, &Pickler::mark);
        content();
        flatOp(tasks, &Pickler::appends);
    };
    if (className.starts_with("Linear")) {
        held("weight"), held("bias");
    } else if (type == kCellClass) {
        const bool isHalf = !module.attribute("bias_ih");
        flatText(tasks, isHalf ? "quantized_fp16" : "quantized_dynamic");
        list([&] {
            if (!isHalf) held("bias_ih"), held("bias_hh");
        });
        list([] {});
        list([&] {
            const Argument* value = module.setting("reduce_range");
            const bool reduces = value && value->as<bool>() && *value->as<bool>();
            if (!isHalf) flat(tasks, [this, reduces] { m_pickler.integer(reduces ? 1 : 0); });
        });
        list([&] {
            for (const Module::Child& child : module.children)
                if (child.module) scriptObject(tasks, *child.module, child.module->qualifiedType());
        });
    } else if (className.starts_with("Embedding")) {
        const auto* attribute = module.attribute("weight");
        const auto* weight = attribute ? std::get_if<TensorPtr>(attribute) : nullptr;
        const bool isHalfByte = weight && *weight && (*weight)->dtype == DType::QUInt4x2;
        flat(tasks, [this] { m_pickler.integer(1); });
        list([&] { held("weight"); });
        list([] {});
        list([&] { flat(tasks, [this, isHalfByte] { m_pickler.integer(isHalfByte ? 4 : 8); }); });
    } else {
        flatText(tasks, "2");
        list([&] {
            tasks.push_back([this, numbers = convNumbers(module)] { newTensor(*numbers); });
            held("weight");
        });
        list([&] { held("bias"); });
    }
    flatOp(tasks, &Pickler::tuple);
    flatText(tasks, type);
    flatOp(tasks, &Pickler::tuple);
    flatOp(tasks, &Pickler::build);
}

/// What a module keeps as ScriptObjects: its own weights, and those that its graph reads.
void ObjectWriter::packedParams(std::vector<Task>& tasks, const Module& module) {
    if (const std::string_view field = packedField(module); !field.empty() && module.attribute("weight")) {
        flatText(tasks, field);
        const char* const type = field == "_packed_weight" ? "EmbeddingPackedParamsBase" : "LinearPackedParamsBase";
        scriptObject(tasks, module, std::string(kPackedClasses) + type);
    }
    for (const Module::Child& child : module.children) {
        if (!child.module || !isPackedParams(*child.module)) continue;
        flatText(tasks, child.name);
        scriptObject(tasks, *child.module, child.module->qualifiedType());
    }
}

} // namespace fx
