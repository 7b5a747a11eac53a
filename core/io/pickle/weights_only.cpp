// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/weights_only.h"

#include "core/base/one_of.h"
#include "core/diag/error.h"
#include "core/io/pickle/pickle_text.h"

#include <unordered_map>
#include <vector>

namespace fx {
namespace {

constexpr std::size_t kMostMemo = 20'000'000;

/// What calling or making an object of an accepted global gives.
enum class Type : std::uint8_t {
    Plain, ///< a number, a string, None: nothing can be set, called or added
    Int,
    Storage, ///< the word "storage", which begins an id of a storage
    Tuple,
    List,
    Dict,
    Set,
    OrderedDict,
    Counter,
    Bytearray,
    Tensor,
    Parameter,
    Object,      ///< an instance of another accepted class, without a __dict__
    Function,    ///< accepted globals from here on
    Class,       ///< a class that can be called and instantiated
    StorageType, ///< a class of storages, which cannot be called
    Constant,    ///< a dtype or a qscheme
};

struct Value {
    Type type = Type::Plain;
    bool isHashable = true;
    Type result = Type::Plain; ///< of a call of a Function or Class
    bool isStorageId = false;  ///< of a Tuple
};

struct Global {
    std::string_view name;
    Type type, result;
};

constexpr Global kGlobals[] = {
    {"collections.OrderedDict", Type::Class, Type::OrderedDict},
    {"collections.Counter", Type::Class, Type::Counter},
    {"torch.nn.parameter.Parameter", Type::Class, Type::Parameter},
    {"torch.serialization._get_layout", Type::Function, Type::Plain},
    {"torch.Size", Type::Class, Type::Object},
    {"torch.Tensor", Type::Class, Type::Tensor},
    {"torch.device", Type::Class, Type::Object},
    {"_codecs.encode", Type::Function, Type::Plain},
    {"builtins.bytearray", Type::Class, Type::Bytearray},
    {"builtins.set", Type::Class, Type::Set},
    {"builtins.complex", Type::Class, Type::Object},
    {"torch.storage.TypedStorage", Type::Class, Type::Object},
    {"torch.storage.UntypedStorage", Type::Class, Type::Object},
    {"torch._utils._rebuild_parameter", Type::Function, Type::Parameter},
    {"torch._utils._rebuild_parameter_with_state", Type::Function, Type::Parameter},
    {"torch._utils._rebuild_qtensor", Type::Function, Type::Tensor},
    {"torch._utils._rebuild_tensor", Type::Function, Type::Tensor},
    {"torch._utils._rebuild_tensor_v2", Type::Function, Type::Tensor},
    {"torch._utils._rebuild_tensor_v3", Type::Function, Type::Tensor},
    {"torch._utils._rebuild_sparse_tensor", Type::Function, Type::Tensor},
    {"torch._utils._rebuild_meta_tensor_no_storage", Type::Function, Type::Tensor},
    {"torch._utils._rebuild_nested_tensor", Type::Function, Type::Tensor},
    {"torch._utils._rebuild_wrapper_subclass", Type::Function, Type::Tensor},
    {"torch._utils._rebuild_device_tensor_from_numpy", Type::Function, Type::Tensor},
    {"torch._utils._rebuild_device_tensor_from_cpu_tensor", Type::Function, Type::Tensor},
    {"torch._tensor._rebuild_from_type_v2", Type::Function, Type::Tensor},
};

/// Dtypes and qschemes of `torch`.
constexpr std::string_view kConstants[] = {
    "bfloat16",
    "bits16",
    "bits1x8",
    "bits2x4",
    "bits4x2",
    "bits8",
    "bool",
    "complex128",
    "complex32",
    "complex64",
    "float16",
    "float32",
    "float4_e2m1fn_x2",
    "float64",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "int1",
    "int16",
    "int2",
    "int3",
    "int32",
    "int4",
    "int5",
    "int6",
    "int64",
    "int7",
    "int8",
    "per_channel_affine",
    "per_channel_affine_float_qparams",
    "per_channel_symmetric",
    "per_tensor_affine",
    "per_tensor_symmetric",
    "qint32",
    "qint8",
    "quint2x4",
    "quint4x2",
    "quint8",
    "uint1",
    "uint16",
    "uint2",
    "uint3",
    "uint32",
    "uint4",
    "uint5",
    "uint6",
    "uint64",
    "uint7",
    "uint8",
};
constexpr std::string_view kElements[] = {"BFloat16", "Bool", "Byte", "Char", "Double",
                                          "Float",    "Half", "Int",  "Long", "Short"};
constexpr std::string_view kStorageElements[] = {"ComplexDouble", "ComplexFloat"};
constexpr std::string_view kQuantizedElements[] = {"QInt32", "QInt8", "QUInt2x4", "QUInt4x2", "QUInt8"};

/// Classes of tensors and storages by element type, such as torch.cuda.FloatStorage.
std::optional<Global> elementClass(std::string_view name) {
    std::string_view rest = name.substr(std::string_view("torch.").size());
    const auto takes = [&](std::string_view start) {
        if (!rest.starts_with(start)) return false;
        rest.remove_prefix(start.size());
        return true;
    };
    const bool isCuda = takes("cuda."), isSparse = takes("sparse.");
    if (rest.ends_with("Tensor")) {
        rest.remove_suffix(std::string_view("Tensor").size());
        const bool hasClass = isOneOf(rest, kElements) && !(isSparse && rest == "Bool");
        return hasClass ? std::optional(Global{name, Type::Class, Type::Tensor}) : std::nullopt;
    }
    if (isSparse || !rest.ends_with("Storage")) return std::nullopt;
    rest.remove_suffix(std::string_view("Storage").size());
    const bool hasClass =
        isOneOf(rest, kElements) || isOneOf(rest, kStorageElements) || (!isCuda && isOneOf(rest, kQuantizedElements));
    return hasClass ? std::optional(Global{name, Type::StorageType, Type::Plain}) : std::nullopt;
}

std::optional<Global> accepted(std::string_view name) {
    for (const Global& global : kGlobals)
        if (global.name == name) return global;
    if (!name.starts_with("torch.")) return std::nullopt;
    if (isOneOf(name.substr(std::string_view("torch.").size()), kConstants))
        return Global{name, Type::Constant, Type::Plain};
    return elementClass(name);
}

Value instance(Type type) {
    const bool isHashable = type != Type::Dict && type != Type::List && type != Type::Set &&
                            type != Type::OrderedDict && type != Type::Counter && type != Type::Bytearray;
    return {type, isHashable, Type::Plain, false};
}

struct Refusal {
    Message why;
};

/// The stack machine. `Refusal` ends it.
class Machine {
public:
    Machine(std::span<const std::byte> bytes, std::size_t at, std::size_t keyCount, const Progress& progress)
        : m_bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()), m_at(at), m_keyCount(keyCount),
          m_progress(progress) {}

    WeightsOnly run() {
        try {
            for (std::size_t steps = 0;; ++steps) {
                if (steps % 65536 == 0) m_progress.check();
                const char opcode = take(1)[0];
                if (opcode == '.') break;
                if (!scalar(opcode) && !container(opcode) && !memo(opcode) && !object(opcode))
                    throw Refusal{Message("trust.opcode", {{"opcode", static_cast<unsigned char>(opcode)}})};
            }
            pop();
            return {std::nullopt, m_at};
        } catch (Refusal& refusal) { return {std::move(refusal.why), m_at}; }
    }

private:
    [[noreturn]] static void damaged() { throw Refusal{Message("trust.damaged")}; }

    std::string_view take(std::size_t count) {
        if (count > m_bytes.size() - m_at) damaged();
        const std::string_view out = m_bytes.substr(m_at, count);
        m_at += count;
        return out;
    }
    std::size_t number(std::size_t bytes) {
        std::size_t value = 0, shift = 0;
        for (const char byte : take(bytes)) value |= std::size_t{static_cast<unsigned char>(byte)} << shift, shift += 8;
        return value;
    }
    std::string_view line() {
        const std::size_t end = m_bytes.find('\n', m_at);
        if (end == m_bytes.npos) damaged();
        const std::string_view out = m_bytes.substr(m_at, end - m_at);
        m_at = end + 1;
        if (!isPickleUtf8(out)) damaged();
        return out;
    }

    std::size_t bottom() const { return m_marks.empty() ? 0 : m_marks.back(); }
    Value& top() {
        if (m_stack.size() <= bottom()) damaged();
        return m_stack.back();
    }
    Value pop() {
        const Value value = top();
        m_stack.pop_back();
        return value;
    }
    void push(Type type) { m_stack.push_back(instance(type)); }
    std::span<const Value> popMark() { ///< valid until something is pushed
        if (m_marks.empty()) damaged();
        const std::size_t start = m_marks.back();
        m_marks.pop_back();
        m_popped.assign(m_stack.begin() + static_cast<std::ptrdiff_t>(start), m_stack.end());
        m_stack.resize(start);
        return m_popped;
    }

    bool scalar(char opcode) {
        switch (opcode) {
        case 'N':
        case '\x88':
        case '\x89': return push(Type::Plain), true;
        case 'J': return take(4), push(Type::Int), true;
        case 'K': return take(1), push(Type::Int), true;
        case 'M': return take(2), push(Type::Int), true;
        case '\x8a': return take(number(1)), push(Type::Int), true;
        case 'G': return take(8), push(Type::Plain), true;
        case 'X': return text(take(number(4))), true;
        case 'U': return text(take(number(1))), true;
        case '\x80': return take(1), true; // another protocol is only warned of
        default: return false;
        }
    }
    void text(std::string_view text) {
        if (!isPickleUtf8(text)) damaged();
        push(text == "storage" ? Type::Storage : Type::Plain);
    }

    bool container(char opcode) {
        switch (opcode) {
        case ')': return tuple({}), true;
        case ']': return push(Type::List), true;
        case '}': return push(Type::Dict), true;
        case '\x8f': return push(Type::Set), true;
        case '(': return m_marks.push_back(m_stack.size()), true;
        case 't': return tuple(popMark()), true;
        case '\x85':
        case '\x86':
        case '\x87': {
            const auto count = static_cast<std::size_t>(opcode - '\x85') + 1;
            if (m_stack.size() < bottom() + count) damaged();
            m_popped.assign(m_stack.end() - static_cast<std::ptrdiff_t>(count), m_stack.end());
            m_stack.resize(m_stack.size() - count);
            return tuple(m_popped), true;
        }
        case 'a': return pop(), requireList(), true;
        case 'e': return popMark(), requireList(), true;
        case 's': {
            pop();
            const Value key = pop();
            requireDict();
            return requireKey(key), true;
        }
        case 'u': {
            const auto items = popMark();
            requireDict();
            if (items.size() % 2 != 0) damaged();
            for (std::size_t i = 0; i < items.size(); i += 2) requireKey(items[i]);
            return true;
        }
        default: return false;
        }
    }
    void tuple(std::span<const Value> items) {
        Value made{Type::Tuple, true, Type::Plain, false};
        for (const Value& item : items) made.isHashable &= item.isHashable;
        made.isStorageId = items.size() == m_keyCount && items[0].type == Type::Storage &&
                           (items[1].type == Type::StorageType || items[1].type == Type::Class) &&
                           items[4].type == Type::Int;
        m_stack.push_back(made);
    }
    void requireList() {
        if (top().type != Type::List) throw Refusal{Message("trust.not_a_list")};
    }
    void requireDict() {
        const Type type = top().type;
        if (type != Type::Dict && type != Type::OrderedDict && type != Type::Counter)
            throw Refusal{Message("trust.not_a_dict")};
    }
    static void requireKey(const Value& key) {
        if (!key.isHashable) damaged();
    }

    bool memo(char opcode) {
        switch (opcode) {
        case 'h': return recall(number(1)), true;
        case 'j': return recall(number(4)), true;
        case 'q': return remember(number(1)), true;
        case 'r': return remember(number(4)), true;
        default: return false;
        }
    }
    void recall(std::size_t index) {
        const auto known = m_memo.find(index);
        if (known == m_memo.end()) damaged();
        m_stack.push_back(known->second);
    }
    void remember(std::size_t index) {
        if (m_memo.size() >= kMostMemo) throw Error(ErrorKind::File, Message("pickle.too_many_objects"));
        m_memo.insert_or_assign(index, top());
    }

    bool object(char opcode) {
        switch (opcode) {
        case 'c': return global(), true;
        case '\x81': return make(), true;
        case 'R': return call(), true;
        case 'b': return build(), true;
        case 'Q':
            if (!pop().isStorageId) throw Refusal{Message("trust.persistent_id")};
            return push(Type::Object), true;
        default: return false;
        }
    }
    void global() {
        std::string_view module = line();
        const std::string_view name = line();
        if (module == "__builtin__") module = "builtins";
        const std::string full = std::string(module) + "." + std::string(name);
        const auto known = accepted(full);
        if (!known) throw Refusal{Message("trust.global", {{"name", full}})};
        m_stack.push_back({known->type, true, known->result, false});
    }
    void make() {
        const Value args = pop(), made = pop();
        if (made.type < Type::Function) throw Refusal{Message("trust.not_a_class")};
        if (made.type != Type::Class || args.type != Type::Tuple) damaged();
        push(made.result);
    }
    void call() {
        const Value args = pop();
        const Value callee = top();
        if (callee.type < Type::Function) throw Refusal{Message("trust.not_callable")};
        if ((callee.type != Type::Class && callee.type != Type::Function) || args.type == Type::Plain) damaged();
        m_stack.back() = instance(callee.result);
    }
    void build() {
        const Value state = pop();
        switch (top().type) {
        case Type::Tensor:
        case Type::Parameter:
        case Type::OrderedDict:
        case Type::Counter:
        case Type::Object:
        case Type::Set:
        case Type::Bytearray: break;
        default: throw Refusal{Message("trust.no_state")};
        }
        if (state.type == Type::Int) damaged();
    }

    std::string_view m_bytes;
    std::size_t m_at, m_keyCount;
    const Progress& m_progress;
    std::vector<Value> m_stack, m_popped;
    std::vector<std::size_t> m_marks;
    std::unordered_map<std::size_t, Value> m_memo;
};

} // namespace

bool isAllowedByWeightsOnly(std::string_view name) { return accepted(name).has_value(); }

WeightsOnly checkWeightsOnly(std::span<const std::byte> bytes, std::size_t offset, std::size_t keyCount,
                             const Progress& progress) {
    return Machine(bytes, offset, keyCount, progress).run();
}

} // namespace fx
