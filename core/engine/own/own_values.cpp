// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/own/own_values.h"

#include "core/engine/dispatch.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/TensorImpl.h>

#include <bit>
#include <cstring>
#include <limits>

namespace fx::engine {
namespace {

constexpr int kDeepestOwn = 100;
constexpr std::uint64_t kMostDimensions = 64;
constexpr std::uint64_t kFirstOfPython = std::uint64_t{1} << 32; ///< FIRST_OWN there
constexpr std::size_t kFewestBytes = 1;                          ///< of a value

void append(std::string& out, std::uint64_t number, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i) & 0xFF);
}

std::span<const std::byte> bytesOf(const std::string& text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

[[noreturn]] void badAnswer(const char* what) { throw runError(Message("engine.own_answer", {{"detail", what}})); }

[[noreturn]] void cannotPass(const std::string& what) { throw runError(Message("engine.own_value", {{"type", what}})); }

/// Bytes from the start of its storage to the end of a tensor; nullopt if they overflow.
std::optional<std::uint64_t> endOf(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides,
                                   std::uint64_t offset, std::uint64_t itemSize) {
    std::uint64_t last = offset, count = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] < 0 || strides[i] < 0) return std::nullopt;
        const auto size = static_cast<std::uint64_t>(sizes[i]);
        std::uint64_t reach = 0;
        if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
        if (size > 0 && __builtin_mul_overflow(size - 1, static_cast<std::uint64_t>(strides[i]), &reach))
            return std::nullopt;
        if (__builtin_add_overflow(last, reach, &last)) return std::nullopt;
    }
    if (count == 0) last = offset; // strides of no elements lead nowhere
    std::uint64_t bytes = 0;
    if (count > std::numeric_limits<std::int64_t>::max() || __builtin_mul_overflow(last, itemSize, &bytes) ||
        __builtin_add_overflow(bytes, count > 0 ? itemSize : 0, &bytes) ||
        bytes > std::numeric_limits<std::int64_t>::max())
        return std::nullopt;
    return bytes;
}

} // namespace

void OwnMessage::know(const c10::Storage& storage, std::uint64_t number, bool hasBytes) {
    if (m_numbers.emplace(storage.unsafeGetStorageImpl(), number).second)
        m_storages.emplace(number, Known{storage, hasBytes});
}

void OwnMessage::putNumber(std::uint64_t number, int bytes) { append(m_values, number, bytes); }

void OwnMessage::putText(char form, std::string_view text) {
    m_values += form;
    putNumber(text.size(), 4);
    m_values += text;
}

void OwnMessage::putAll(char form, const Values& values, int depth) {
    m_values += form;
    putNumber(values.size(), 4);
    for (const Value& each : values) put(each, depth + 1);
}

void OwnMessage::putTensor(const at::Tensor& given) {
    if (given.is_meta()) throw runError(Message("engine.needs_values", {{"detail", "Python code may ask for values"}}));
    if (given.layout() != at::kStrided || given.is_quantized() || !given.device().is_cpu() || !given.has_storage())
        cannotPass("tensor that is sparse, quantised or on another device");
    const at::Tensor tensor = given.is_conj() || given.is_neg() ? given.resolve_conj().resolve_neg() : given;
    if (!m_numbers.contains(tensor.storage().unsafeGetStorageImpl())) know(tensor.storage(), m_next++, true);
    const std::uint64_t number = numberOf(tensor.storage());
    m_storages.at(number).tensors.push_back(tensor);
    putText('a', scalarTypeName(tensor.scalar_type()));
    putNumber(number, 8);
    putNumber(static_cast<std::uint64_t>(tensor.storage_offset()), 8);
    putNumber(static_cast<std::uint64_t>(tensor.dim()), 4);
    for (const std::int64_t size : tensor.sizes()) putNumber(static_cast<std::uint64_t>(size), 8);
    for (const std::int64_t stride : tensor.strides()) putNumber(static_cast<std::uint64_t>(stride), 8);
}

void OwnMessage::put(const Value& value, int depth) {
    if (depth > kDeepestOwn) cannotPass("value that is nested too deeply");
    if (value.isNone()) return void(m_values += 'N');
    if (value.isTensor()) return putTensor(value.tensor());
    if (const auto* truth = value.as<bool>()) return void(m_values += *truth ? 'T' : 'F');
    if (const auto* integer = value.as<std::int64_t>())
        return m_values += 'i', putNumber(static_cast<std::uint64_t>(*integer), 8);
    if (const auto* real = value.as<double>())
        return m_values += 'f', putNumber(std::bit_cast<std::uint64_t>(*real), 8);
    if (const std::string* text = value.text()) return putText('s', *text);
    if (const auto* type = value.as<at::ScalarType>()) return putText('D', scalarTypeName(*type));
    if (const auto* device = value.as<at::Device>()) return putText('v', device->str());
    if (value.as<EllipsisValue>()) return void(m_values += 'E');
    if (const SliceOf* slice = value.slice()) return putAll('z', {slice->start, slice->stop, slice->step}, depth);
    if (const Items* items = value.items()) {
        if (items->kind == Items::Kind::Named) {
            Values parts{items->typeName, Value::list(Values(items->fields.begin(), items->fields.end()))};
            parts.insert(parts.end(), items->items.begin(), items->items.end());
            return putAll('n', parts, depth);
        }
        return putAll(items->kind == Items::Kind::List   ? 'l'
                      : items->kind == Items::Kind::Size ? 'S'
                                                         : 't',
                      items->items, depth);
    }
    if (const Mapping* mapping = value.mapping()) {
        Values parts;
        for (const auto& [key, item] : mapping->items) parts.push_back(key), parts.push_back(item);
        return putAll('d', parts, depth);
    }
    const auto plain = toArgument(value);
    if (const auto* constant = plain ? plain->as<TorchConstant>() : nullptr) return putText('D', constant->name);
    if (const auto* wide = plain ? plain->as<BigInt>() : nullptr) return putText('I', wide->digits);
    if (const auto* complex = plain ? plain->as<Complex>() : nullptr) {
        m_values += 'c';
        for (const double part : {complex->re, complex->im}) putNumber(std::bit_cast<std::uint64_t>(part), 8);
        return;
    }
    if (const auto* range = plain ? plain->as<Range>() : nullptr) {
        m_values += 'r';
        for (const std::int64_t part : {range->start, range->stop, range->step})
            putNumber(static_cast<std::uint64_t>(part), 8);
        return;
    }
    cannotPass(typeText(value));
}

std::vector<std::span<const std::byte>> OwnMessage::pieces() {
    std::uint64_t total = 4 + m_values.size();
    m_heads.assign(1, {});
    for (const auto& [number, known] : m_storages) {
        std::string head;
        append(head, number, 8), append(head, known.storage.nbytes(), 8), append(head, known.hasBytes, 1);
        total += head.size() + (known.hasBytes ? known.storage.nbytes() : 0);
        m_heads.push_back(std::move(head));
    }
    append(m_heads.front(), total, 8), append(m_heads.front(), m_storages.size(), 4);
    std::vector<std::span<const std::byte>> out{bytesOf(m_heads.front())};
    auto head = m_heads.begin();
    for (const auto& [number, known] : m_storages) {
        out.push_back(bytesOf(*++head));
        if (known.hasBytes)
            out.emplace_back(static_cast<const std::byte*>(known.storage.data()), known.storage.nbytes());
    }
    out.push_back(bytesOf(m_values));
    return out;
}

OwnAnswer::OwnAnswer(std::span<const std::byte> bytes, OwnMessage& message) : m_message(message), m_rest(bytes) {
    readStorages();
    m_value = read(0);
    if (!m_rest.empty()) badAnswer("bytes after its value");
}

std::span<const std::byte> OwnAnswer::take(std::uint64_t bytes) {
    if (bytes > m_rest.size()) badAnswer("it is cut off");
    const auto out = m_rest.first(static_cast<std::size_t>(bytes));
    m_rest = m_rest.subspan(out.size());
    return out;
}

std::uint64_t OwnAnswer::number(int bytes) {
    std::uint64_t out = 0;
    const auto from = take(static_cast<std::uint64_t>(bytes));
    for (std::size_t i = 0; i < from.size(); ++i) out |= std::to_integer<std::uint64_t>(from[i]) << (8 * i);
    return out;
}

double OwnAnswer::real() { return std::bit_cast<double>(number(8)); }

std::string OwnAnswer::text() {
    const auto from = take(number(4));
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

void OwnAnswer::readStorages() {
    const std::uint64_t count = number(4);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t id = number(8), size = number(8);
        if (number(1) != 1) badAnswer("a storage without bytes");
        const auto bytes = take(size);
        const auto known = m_message.m_storages.find(id);
        if (known != m_message.m_storages.end()) {
            if (known->second.storage.nbytes() != size) badAnswer("a storage of another size");
            m_changed.insert_or_assign(id, bytes);
            continue;
        }
        if (id < kFirstOfPython || m_made.contains(id)) badAnswer("an unknown storage");
        c10::Storage made(c10::Storage::use_byte_size_t(), bytes.size(), c10::GetCPUAllocator(), true);
        if (!bytes.empty()) std::memcpy(made.mutable_data(), bytes.data(), bytes.size());
        m_made.emplace(id, std::move(made));
    }
}

Values OwnAnswer::all(int depth) {
    const std::uint64_t count = number(4);
    if (count > m_rest.size() / kFewestBytes) badAnswer("it is cut off"); // before memory is taken
    Values out;
    for (std::uint64_t i = 0; i < count; ++i) out.push_back(read(depth + 1));
    return out;
}

at::Tensor OwnAnswer::readTensor() {
    const std::string name = text();
    const auto type = scalarType(name);
    if (!type || at::isQIntType(*type)) badAnswer("a tensor of unknown dtype");
    const std::uint64_t id = number(8), offset = number(8), dimensions = number(4);
    if (dimensions > kMostDimensions) badAnswer("a tensor of too many dimensions");
    std::vector<std::int64_t> sizes, strides;
    for (std::uint64_t i = 0; i < dimensions; ++i) sizes.push_back(integer());
    for (std::uint64_t i = 0; i < dimensions; ++i) strides.push_back(integer());
    const auto made = m_made.find(id);
    const auto known = m_message.m_storages.find(id);
    if (made == m_made.end() && known == m_message.m_storages.end()) badAnswer("a tensor without storage");
    c10::Storage storage = made != m_made.end() ? made->second : known->second.storage;
    const auto end = endOf(sizes, strides, offset, c10::elementSize(*type));
    if (!end || *end > storage.nbytes()) badAnswer("a tensor outside of its storage");
    auto impl = c10::make_intrusive<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU),
                                                     c10::scalarTypeToTypeMeta(*type));
    impl->set_sizes_and_strides(sizes, strides, static_cast<std::int64_t>(offset));
    return at::Tensor(std::move(impl));
}

Value OwnAnswer::readNamed(Values parts) const {
    const Items* fields = parts.size() < 2 ? nullptr : parts[1].items();
    if (!fields || !parts[0].text() || fields->items.size() != parts.size() - 2)
        badAnswer("a tuple without its fields");
    Items out{Items::Kind::Named, Values(parts.begin() + 2, parts.end()), {}, *parts[0].text()};
    for (const Value& field : fields->items) {
        if (!field.text()) badAnswer("a tuple without its fields");
        out.fields.push_back(*field.text());
    }
    return std::make_shared<Items>(std::move(out));
}

Value OwnAnswer::read(int depth) {
    if (depth > kDeepestOwn) badAnswer("it is nested too deeply");
    switch (const char form = static_cast<char>(number(1))) {
    case 'N': return {};
    case 'T':
    case 'F': return form == 'T';
    case 'i': return integer();
    case 'f': return real();
    case 's': return text();
    case 'a': return readTensor();
    case 't': return Value::tuple(all(depth));
    case 'l': return Value::list(all(depth));
    case 'n': return readNamed(all(depth));
    case 'c': {
        const double re = real();
        return Value::constant(Complex{re, real()});
    }
    case 'I': {
        const std::string digits = text();
        if (digits.find_first_not_of("0123456789", digits.starts_with('-') ? 1 : 0) != digits.npos || digits.size() < 2)
            badAnswer("a number without digits");
        return Value::constant(BigInt{digits});
    }
    case 'D':
        if (const auto type = scalarType(text())) return *type;
        badAnswer("an unknown dtype");
    case 'v':
        if (text() == "cpu") return at::Device(at::kCPU);
        badAnswer("another device");
    case 'S': {
        Values sizes = all(depth);
        for (const Value& each : sizes)
            if (!each.as<std::int64_t>()) badAnswer("a size that is no number");
        return Value::sequence(Items::Kind::Size, std::move(sizes));
    }
    case 'z': {
        const Values parts = all(depth);
        if (parts.size() != 3) badAnswer("a slice of other than three parts");
        return std::make_shared<const SliceOf>(SliceOf{parts[0], parts[1], parts[2]});
    }
    case 'd': {
        const Values parts = all(depth);
        if (parts.size() % 2 != 0) badAnswer("a dict with a key without a value");
        auto out = std::make_shared<Mapping>();
        for (std::size_t i = 0; i < parts.size(); i += 2) out->items.emplace_back(parts[i], parts[i + 1]);
        return out;
    }
    default: badAnswer("an unknown kind of value");
    }
}

void OwnAnswer::apply() const {
    for (const auto& [id, bytes] : m_changed) {
        const OwnMessage::Known& known = m_message.m_storages.at(id);
        if (!bytes.empty()) std::memcpy(known.storage.mutable_data(), bytes.data(), bytes.size());
        for (const at::Tensor& tensor : known.tensors) // which is how others notice
            if (!tensor.is_inference()) tensor.unsafeGetTensorImpl()->bump_version();
    }
}

std::uint64_t OwnAnswer::numberOf(const c10::Storage& storage) const {
    for (const auto& [id, made] : m_made)
        if (made.unsafeGetStorageImpl() == storage.unsafeGetStorageImpl()) return id;
    return 0;
}

} // namespace fx::engine
