// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pickle/unpickler.h"

#include <span>

namespace fx {

/// Executes the opcodes of a pickle on an arena, with a stack of references, marks and a memo. Each group of opcodes is
/// one function, which returns whether it handled the opcode.
class Unpickler {
public:
    Unpickler(std::shared_ptr<const std::vector<std::byte>> bytes, std::string_view name, std::size_t offset);
    PickleArena run(const Progress& progress);

private:
    using Object = PickleArena::Object;
    [[noreturn]] void fail(const Message& what) const;

    // reading
    std::uint64_t number(std::size_t bytes); ///< little-endian
    std::string_view take(std::uint64_t count);
    std::string_view line();
    std::uint32_t place(std::string_view inBytes) const;

    // building
    PickleRef add(Object object);
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
    void charge(std::size_t bytes);

    // stack and memo
    void push(PickleRef ref);
    PickleRef pop();
    PickleRef top() const;
    std::span<const PickleRef> popMark(); ///< valid until the next call
    void remember(std::uint64_t index);
    PickleRef recall(std::uint64_t index);

    // opcodes
    bool step(unsigned char opcode); ///< false after STOP
    bool numberOpcode(unsigned char opcode);
    bool textOpcode(unsigned char opcode);
    bool oldTextOpcode(unsigned char opcode);
    bool containerOpcode(unsigned char opcode);
    bool growOpcode(unsigned char opcode);
    bool stackOpcode(unsigned char opcode);
    bool callOpcode(unsigned char opcode);
    bool frameOpcode(unsigned char opcode);
    void setState();

    PickleArena m_arena;
    const std::string m_name;
    std::size_t m_at = 0, m_opcodeAt = 0, m_memory = 0;
    std::vector<PickleRef> m_stack, m_memo, m_smallInts, m_popped;
    std::vector<std::size_t> m_marks;
    std::size_t m_memoized = 0;
    PickleRef m_none, m_false, m_true, m_emptyTuple;
};

} // namespace fx
