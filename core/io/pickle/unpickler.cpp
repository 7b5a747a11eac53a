// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/unpickler_impl.h"

#include "core/io/pickle/pickle_text.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace fx {

namespace {
constexpr std::int64_t kSmallInts = 1 << 20; ///< 0 to here are one object each
}

PickleArena unpickle(std::shared_ptr<const std::vector<std::byte>> bytes, std::string_view name, std::size_t offset,
                     const Progress& progress) {
    return Unpickler(std::move(bytes), name, offset).run(progress);
}

PickleArena unpickleNoting(std::shared_ptr<const std::vector<std::byte>> bytes, std::string_view name,
                           std::size_t offset, const Progress& progress, std::optional<Error>& stop) {
    return Unpickler(std::move(bytes), name, offset).runNoting(progress, stop);
}

PickleArena Unpickler::runNoting(const Progress& progress, std::optional<Error>& stop) {
    m_notes = true;
    try {
        return run(progress);
    } catch (Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        stop = std::move(error);
    }
    m_arena.m_end = m_arena.m_bytes->size();
    return std::move(m_arena);
}

void Unpickler::note(PickleRef object, PickleMethod method) {
    if (!m_notes || (!isObject(object) && method != PickleMethod::Hash)) return;
    charge(sizeof(PickleArena::MethodCall));
    m_arena.m_methodCalls.push_back({object, method});
}

void Unpickler::noteKeys(std::span<const PickleRef> contents, std::size_t step) {
    for (std::size_t i = 0; m_notes && i < contents.size(); i += step)
        if (isObject(contents[i]) || m_arena.is(contents[i], PickleKind::Tuple)) note(contents[i], PickleMethod::Hash);
}

Unpickler::Unpickler(std::shared_ptr<const std::vector<std::byte>> bytes, std::string_view name, std::size_t offset)
    : m_name(name), m_at(offset), m_memoryLimit(pickleMemoryLimit(bytes->size())) {
    m_arena.m_bytes = std::move(bytes);
    if (m_arena.m_bytes->size() >= kNoPickle) throw Error(ErrorKind::File, Message("pickle.too_large")).at(m_name);
    m_none = add({});
    m_false = add({.kind = PickleKind::Bool, .a = 0});
    m_true = add({.kind = PickleKind::Bool, .a = 1});
    m_emptyTuple = add({.kind = PickleKind::Tuple});
}

void Unpickler::fail(const Message& what) const {
    throw Error(ErrorKind::File, Message("pickle.invalid", {{"reason", what.text()}, {"cause", what.code()}}))
        .at(m_name + ", byte " + std::to_string(m_opcodeAt));
}

// Apart from what calls them, which is inline.
void Unpickler::failTruncated() const { fail(Message("pickle.truncated")); }
void Unpickler::failTooManyObjects() const { fail(Message("pickle.too_many_objects")); }
void Unpickler::failStackEmpty() const { fail(Message("pickle.stack_empty")); }

void Unpickler::growStack() {
    charge(m_stack.size() * sizeof(PickleRef));
    m_stack.resize(std::max<std::size_t>(64, 2 * m_stack.size()));
}

std::string_view Unpickler::line() {
    const std::string_view rest = take(m_arena.m_bytes->size() - m_at);
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) failTruncated();
    m_at -= rest.size() - end - 1;
    return rest.substr(0, end);
}

std::uint32_t Unpickler::place(std::string_view inBytes) const {
    return static_cast<std::uint32_t>(inBytes.data() - reinterpret_cast<const char*>(m_arena.m_bytes->data()));
}

PickleRef Unpickler::addInt(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    const Object object{
        .kind = PickleKind::Int, .a = static_cast<PickleRef>(bits), .b = static_cast<PickleRef>(bits >> 32)};
    if (value < 0 || value >= kSmallInts) return add(object);
    const auto i = static_cast<std::size_t>(value);
    if (i >= m_smallInts.size()) m_smallInts.resize(i + 1, kNoPickle);
    if (m_smallInts[i] == kNoPickle) m_smallInts[i] = add(object);
    return m_smallInts[i];
}

PickleRef Unpickler::addFloat(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return add({.kind = PickleKind::Float, .a = static_cast<PickleRef>(bits), .b = static_cast<PickleRef>(bits >> 32)});
}

PickleRef Unpickler::addText(PickleKind kind, std::string_view inBytes) {
    return add(
        {.kind = kind, .a = place(inBytes), .b = static_cast<PickleRef>(inBytes.size()), .c = PickleArena::kRaw});
}

PickleRef Unpickler::addString(std::string_view inBytes) {
    if (!isPickleUtf8(inBytes)) fail(Message("pickle.not_utf8"));
    return addText(PickleKind::String, inBytes);
}

PickleRef Unpickler::addDecoded(const std::string& text) {
    charge(text.size() * 2);
    const auto start = static_cast<PickleRef>(m_arena.m_decoded.size());
    m_arena.m_decoded += text;
    const PickleKind kind = isPickleUtf8(text) ? PickleKind::String : PickleKind::Bytes;
    return add({.kind = kind, .a = start, .b = static_cast<PickleRef>(text.size()), .c = PickleArena::kDecoded});
}

PickleRef Unpickler::addDecimal(std::string_view digits) {
    if (digits.ends_with('L')) digits.remove_suffix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc() && end == digits.data() + digits.size()) return addInt(value);
    const std::string_view unsignedDigits = digits.starts_with('-') ? digits.substr(1) : digits;
    if (unsignedDigits.empty() || unsignedDigits.find_first_not_of("0123456789") != std::string_view::npos)
        fail(Message("pickle.bad_number"));
    const PickleRef ref = addText(PickleKind::BigInt, digits);
    m_arena.m_objects[ref].c = PickleArena::kDigits;
    return ref;
}

PickleRef Unpickler::addLong(std::string_view raw) {
    if (raw.size() > 8) return addText(PickleKind::BigInt, raw);
    std::uint64_t value = !raw.empty() && (raw.back() & 0x80) ? ~std::uint64_t{0} : 0;
    for (std::size_t i = raw.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(raw[i]);
    return addInt(static_cast<std::int64_t>(value));
}

PickleRef Unpickler::addCall(PickleKind kind, PickleRef callee, PickleRef args) {
    return add({.kind = kind, .a = callee, .b = args});
}

PickleRef Unpickler::addGlobal(PickleRef module, PickleRef name) {
    constexpr std::size_t kLongestName = 4096; // thousands of objects may share one, and messages repeat it
    if (!m_arena.is(module, PickleKind::String) || !m_arena.is(name, PickleKind::String) ||
        m_arena.text(module).size() + m_arena.text(name).size() > kLongestName)
        fail(Message("pickle.no_class_name"));
    return add({.kind = PickleKind::Global, .a = module, .b = name});
}

PickleRef Unpickler::addContainer(PickleKind kind, std::span<const PickleRef> contents) {
    if (contents.empty() && kind == PickleKind::Tuple) return m_emptyTuple;
    const PickleRef ref = add({.kind = kind});
    append(ref, contents, kind == PickleKind::Dict);
    return ref;
}

void Unpickler::append(PickleRef container, std::span<const PickleRef> contents, bool pairs) {
    if (contents.empty()) return;
    charge(contents.size() * sizeof(PickleRef));
    Object& object = m_arena.m_objects[container];
    auto& runs = m_arena.m_runs;
    const auto start = static_cast<std::uint32_t>(m_arena.m_contents.size());
    m_arena.m_contents.append(contents);
    const auto count = static_cast<std::uint32_t>(contents.size());
    if (object.lastRun != kNoPickle) {
        PickleArena::Run& last = runs[object.lastRun];
        if (last.pairs == pairs && last.offset + last.count == start) {
            last.count += count;
            return;
        }
    }
    charge(sizeof(PickleArena::Run));
    runs.push_back({start, count, kNoPickle, pairs});
    const auto run = static_cast<std::uint32_t>(runs.size() - 1);
    (object.lastRun == kNoPickle ? object.firstRun : runs[object.lastRun].next) = run;
    object.lastRun = run;
}

std::span<const PickleRef> Unpickler::popMark() {
    if (m_marks.empty()) fail(Message("pickle.missing_mark"));
    const std::size_t start = m_marks.back(), count = m_top - start;
    m_marks.pop_back();
    m_top = start;
    return std::span<const PickleRef>(m_stack).subspan(start, count);
}

void Unpickler::remember(std::uint64_t index) {
    const PickleRef ref = top();
    if (index > m_arena.m_bytes->size()) fail(Message("pickle.memo_holes")); // writers number in sequence
    if (index == m_memo.size()) {
        charge(sizeof(PickleRef));
        m_memo.push_back(kNoPickle);
    } else if (index > m_memo.size()) {
        charge((static_cast<std::size_t>(index) + 1 - m_memo.size()) * sizeof(PickleRef));
        m_memo.resize(static_cast<std::size_t>(index) + 1, kNoPickle);
    }
    m_memoized += m_memo[static_cast<std::size_t>(index)] == kNoPickle;
    m_memo[static_cast<std::size_t>(index)] = ref;
}

PickleRef Unpickler::recall(std::uint64_t index) {
    if (index >= m_memo.size() || m_memo[static_cast<std::size_t>(index)] == kNoPickle)
        fail(Message("pickle.missing_memo"));
    return m_memo[static_cast<std::size_t>(index)];
}

} // namespace fx
