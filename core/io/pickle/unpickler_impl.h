// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pickle/unpickler.h"

#include <array>
#include <span>

namespace fx {

/// Executes the opcodes of a pickle on an arena, with a stack of references, marks and a memo. Each group of opcodes
/// has one function, which returns whether it handled the opcode. Frequent steps are inline.
class Unpickler {
public:
    /// The arguments are those of `unpickle`.
    Unpickler(std::shared_ptr<const std::vector<std::byte>> bytes, std::string_view name, std::size_t offset);
    /// Runs the pickle and returns its objects. See `unpickle`.
    PickleArena run(const Progress& progress);
    /// See `unpickleNoting`.
    PickleArena runNoting(const Progress& progress, std::optional<Error>& stop);

private:
    using Object = PickleArena::Object;
    using Handler = bool (Unpickler::*)(unsigned char);
    [[noreturn]] void fail(const Message& what) const;
    [[noreturn]] void failTruncated() const;
    [[noreturn]] void failTooManyObjects() const;
    [[noreturn]] void failStackEmpty() const;

    // reading
    template<std::size_t Bytes> std::uint64_t number() { ///< little-endian
        const std::string_view raw = take(Bytes);
        std::uint64_t value = 0;
        for (std::size_t i = Bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(raw[i]);
        return value;
    }
    std::string_view take(std::uint64_t count) {
        const auto& bytes = *m_arena.m_bytes;
        if (count > bytes.size() - m_at) failTruncated();
        const char* start = reinterpret_cast<const char*>(bytes.data()) + m_at;
        m_at += static_cast<std::size_t>(count);
        return {start, static_cast<std::size_t>(count)};
    }
    std::string_view line();
    std::uint32_t place(std::string_view inBytes) const;

    // building
    PickleRef add(const Object& object) {
        charge(sizeof(Object));
        m_arena.m_objects.push_back(object);
        return static_cast<PickleRef>(m_arena.m_objects.size() - 1);
    }
    PickleRef addInt(std::int64_t value);
    PickleRef addFloat(double value);
    PickleRef addText(PickleKind kind, std::string_view inBytes);
    PickleRef addString(std::string_view inBytes);
    PickleRef addDecoded(const std::string& text);
    PickleRef addDecimal(std::string_view digits);
    PickleRef addLong(std::string_view littleEndianBytes);
    PickleRef addCall(PickleKind kind, PickleRef callee, PickleRef args);
    PickleRef addGlobal(PickleRef module, PickleRef name);
    PickleRef addContainer(PickleKind kind, std::span<const PickleRef> contents);
    void append(PickleRef container, std::span<const PickleRef> contents, bool pairs);
    void charge(std::size_t bytes) {
        m_memory += bytes;
        if (m_memory > m_memoryLimit) failTooManyObjects();
    }

    // stack and memo
    void push(PickleRef ref) {
        if (m_top == m_stack.size()) growStack();
        m_stack[m_top++] = ref;
    }
    void growStack();
    PickleRef pop() {
        const PickleRef ref = top();
        --m_top;
        return ref;
    }
    PickleRef top() const {
        if (m_top <= (m_marks.empty() ? 0 : m_marks.back())) failStackEmpty();
        return m_stack[m_top - 1];
    }
    std::span<const PickleRef> popMark(); ///< valid until something is pushed
    void remember(std::uint64_t index);
    PickleRef recall(std::uint64_t index);

    // opcodes
    bool step(unsigned char opcode);    ///< false after STOP
    bool firstOf(unsigned char opcode); ///< first occurrence of an opcode: finds its group
    bool numberOpcode(unsigned char opcode);
    bool textOpcode(unsigned char opcode);
    bool oldTextOpcode(unsigned char opcode);
    bool containerOpcode(unsigned char opcode);
    bool growOpcode(unsigned char opcode);
    bool stackOpcode(unsigned char opcode);
    bool callOpcode(unsigned char opcode);
    bool frameOpcode(unsigned char opcode);
    void setState();

    // calls of methods
    bool isObject(PickleRef ref) const { ///< not one of Python's own numbers, texts and containers
        const PickleKind kind = m_arena.kind(ref);
        return isCall(kind) || kind == PickleKind::Global || kind == PickleKind::Persistent;
    }
    void note(PickleRef object, PickleMethod method);
    void noteKeys(std::span<const PickleRef> contents, std::size_t step);

    bool m_notes = false;                  ///< `runNoting`
    std::array<Handler, 256> m_handlers{}; ///< by opcode, filled on first use
    PickleArena m_arena;
    const std::string m_name;
    std::size_t m_at = 0, m_opcodeAt = 0, m_memory = 0;
    const std::size_t m_memoryLimit;
    std::vector<PickleRef> m_stack, m_memo, m_smallInts;
    std::size_t m_top = 0; ///< size of the stack; entries beyond are free
    std::vector<std::size_t> m_marks;
    std::size_t m_memoized = 0;
    PickleRef m_none, m_false, m_true, m_emptyTuple;
};

} // namespace fx
