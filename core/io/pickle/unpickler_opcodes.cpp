// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/unpickler_impl.h"

#include "core/io/pickle/pickle_text.h"

#include <bit>
#include <charconv>

namespace fx {

namespace {

/// The opcodes of CPython's pickle protocols 0 to 5 (Lib/pickle.py).
enum Opcode : unsigned char {
    kMark = '(',
    kStop = '.',
    kPop = '0',
    kPopMark = '1',
    kDup = '2',
    kFloat = 'F',
    kInt = 'I',
    kBinInt = 'J',
    kBinInt1 = 'K',
    kLong = 'L',
    kBinInt2 = 'M',
    kNone = 'N',
    kPersId = 'P',
    kBinPersId = 'Q',
    kReduce = 'R',
    kString = 'S',
    kBinString = 'T',
    kShortBinString = 'U',
    kUnicode = 'V',
    kBinUnicode = 'X',
    kAppend = 'a',
    kBuild = 'b',
    kGlobal = 'c',
    kDict = 'd',
    kEmptyDict = '}',
    kAppends = 'e',
    kGet = 'g',
    kBinGet = 'h',
    kInst = 'i',
    kLongBinGet = 'j',
    kList = 'l',
    kEmptyList = ']',
    kObj = 'o',
    kPut = 'p',
    kBinPut = 'q',
    kLongBinPut = 'r',
    kSetItem = 's',
    kTuple = 't',
    kEmptyTuple = ')',
    kSetItems = 'u',
    kBinFloat = 'G',
    kBinBytes = 'B',
    kShortBinBytes = 'C',
    kProto = 0x80,
    kNewObj = 0x81,
    kExt1 = 0x82,
    kExt2 = 0x83,
    kExt4 = 0x84,
    kTuple1 = 0x85,
    kTuple2 = 0x86,
    kTuple3 = 0x87,
    kNewTrue = 0x88,
    kNewFalse = 0x89,
    kLong1 = 0x8a,
    kLong4 = 0x8b,
    kShortBinUnicode = 0x8c,
    kBinUnicode8 = 0x8d,
    kBinBytes8 = 0x8e,
    kEmptySet = 0x8f,
    kAddItems = 0x90,
    kFrozenSet = 0x91,
    kNewObjEx = 0x92,
    kStackGlobal = 0x93,
    kMemoize = 0x94,
    kFrame = 0x95,
    kByteArray8 = 0x96,
    kNextBuffer = 0x97,
    kReadOnlyBuffer = 0x98,
};
constexpr int kNewestProtocol = 5;

} // namespace

PickleArena Unpickler::run(const Progress& progress) {
    for (std::size_t steps = 0;; ++steps) {
        if (steps % 65536 == 0) progress.check();
        m_opcodeAt = m_at;
        if (!step(static_cast<unsigned char>(take(1)[0]))) break;
    }
    m_arena.m_root = pop();
    m_arena.m_end = m_at;
    return std::move(m_arena);
}

bool Unpickler::step(unsigned char opcode) {
    switch (opcode) { // most of what is in a file of PyTorch: it needs no call
    case kBinGet: push(recall(number<1>())); return true;
    case kLongBinPut: remember(number<4>()); return true;
    case kEmptyTuple: push(m_emptyTuple); return true;
    case kMark:
        charge(sizeof(std::size_t));
        m_marks.push_back(m_top);
        return true;
    default: break;
    }
    const Handler known = m_handlers[opcode];
    return known ? (this->*known)(opcode) : firstOf(opcode);
}

bool Unpickler::firstOf(unsigned char opcode) {
    constexpr std::array<Handler, 8> kGroups{
        &Unpickler::stackOpcode, &Unpickler::textOpcode, &Unpickler::numberOpcode, &Unpickler::containerOpcode,
        &Unpickler::growOpcode,  &Unpickler::callOpcode, &Unpickler::frameOpcode,  &Unpickler::oldTextOpcode};
    for (const Handler group : kGroups) {
        if (!(this->*group)(opcode)) continue;
        m_handlers[opcode] = group;
        return true;
    }
    if (opcode == kStop) return false;
    fail(Message("pickle.unknown_opcode", {{"opcode", opcode}}));
}

bool Unpickler::numberOpcode(unsigned char opcode) {
    switch (opcode) {
    case kNone: push(m_none); return true;
    case kNewTrue: push(m_true); return true;
    case kNewFalse: push(m_false); return true;
    case kBinInt: push(addInt(static_cast<std::int32_t>(number<4>()))); return true;
    case kBinInt1: push(addInt(static_cast<std::int64_t>(number<1>()))); return true;
    case kBinInt2: push(addInt(static_cast<std::int64_t>(number<2>()))); return true;
    case kLong1: push(addLong(take(number<1>()))); return true;
    case kLong4: {
        const std::uint64_t length = number<4>();
        if (length > 0x7FFFFFFF) fail(Message("pickle.negative_length"));
        push(addLong(take(length)));
        return true;
    }
    case kBinFloat: {
        std::uint64_t bits = 0;
        for (const char byte : take(8)) bits = bits << 8 | static_cast<unsigned char>(byte); // big-endian
        push(addFloat(std::bit_cast<double>(bits)));
        return true;
    }
    default: return false;
    }
}

bool Unpickler::textOpcode(unsigned char opcode) {
    switch (opcode) {
    case kShortBinUnicode: push(addString(take(number<1>()))); return true;
    case kBinUnicode: push(addString(take(number<4>()))); return true;
    case kBinUnicode8: push(addString(take(number<8>()))); return true;
    case kShortBinBytes: push(addText(PickleKind::Bytes, take(number<1>()))); return true;
    case kBinBytes: push(addText(PickleKind::Bytes, take(number<4>()))); return true;
    case kBinBytes8: push(addText(PickleKind::Bytes, take(number<8>()))); return true;
    case kByteArray8: push(addText(PickleKind::ByteArray, take(number<8>()))); return true;
    case kShortBinString:
    case kBinString: { // Python 2's str: text if it reads as text
        const std::string_view text = take(opcode == kBinString ? number<4>() : number<1>());
        push(addText(isPickleUtf8(text) ? PickleKind::String : PickleKind::Bytes, text));
        return true;
    }
    default: return false;
    }
}

bool Unpickler::oldTextOpcode(unsigned char opcode) {
    switch (opcode) {
    case kInt: {
        const std::string_view digits = line();
        push(digits == "01" ? m_true : digits == "00" ? m_false : addDecimal(digits));
        return true;
    }
    case kLong: push(addDecimal(line())); return true;
    case kFloat: {
        std::string_view digits = line();
        double value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (digits.empty() || end != digits.data() + digits.size() || error == std::errc::invalid_argument)
            fail(Message("pickle.bad_number"));
        push(addFloat(value));
        return true;
    }
    case kString:
    case kUnicode: {
        const auto text = opcode == kString ? decodeQuoted(line()) : decodeRawUnicode(line());
        if (!text) fail(Message("pickle.bad_string"));
        push(addDecoded(*text));
        return true;
    }
    default: return false;
    }
}

bool Unpickler::containerOpcode(unsigned char opcode) {
    const auto tupleOf = [&](std::size_t count) {
        PickleRef items[3];
        for (std::size_t i = count; i-- > 0;) items[i] = pop();
        push(addContainer(PickleKind::Tuple, std::span(items).first(count)));
    };
    switch (opcode) {
    case kTuple: push(addContainer(PickleKind::Tuple, popMark())); return true;
    case kTuple1: tupleOf(1); return true;
    case kTuple2: tupleOf(2); return true;
    case kTuple3: tupleOf(3); return true;
    case kEmptyList: push(add({.kind = PickleKind::List})); return true;
    case kList: push(addContainer(PickleKind::List, popMark())); return true;
    case kEmptyDict: push(add({.kind = PickleKind::Dict})); return true;
    case kDict: {
        const auto contents = popMark();
        if (contents.size() % 2 != 0) fail(Message("pickle.key_without_value"));
        noteKeys(contents, 2);
        push(addContainer(PickleKind::Dict, contents));
        return true;
    }
    case kEmptySet: push(add({.kind = PickleKind::Set})); return true;
    case kFrozenSet: {
        const auto contents = popMark();
        noteKeys(contents, 1);
        push(addContainer(PickleKind::FrozenSet, contents));
        return true;
    }
    default: return false;
    }
}

bool Unpickler::growOpcode(unsigned char opcode) {
    std::span<const PickleRef> contents;
    PickleRef single[2];
    switch (opcode) {
    case kAppend:
        single[0] = pop();
        contents = std::span(single).first(1);
        break;
    case kSetItem:
        single[1] = pop(), single[0] = pop();
        contents = single;
        break;
    case kAppends:
    case kAddItems:
    case kSetItems: contents = popMark(); break;
    default: return false;
    }
    const bool pairs = opcode == kSetItem || opcode == kSetItems;
    const PickleKind wanted = pairs ? PickleKind::Dict : opcode == kAddItems ? PickleKind::Set : PickleKind::List;
    const PickleKind kind = m_arena.kind(top());
    const bool holds = kind == wanted || isCall(kind);
    if (!holds && !m_notes) fail(Message("pickle.not_a_container"));
    if (pairs && contents.size() % 2 != 0) fail(Message("pickle.key_without_value"));
    if (!contents.empty()) {
        note(top(), pairs                       ? PickleMethod::SetItem
                    : wanted == PickleKind::Set ? PickleMethod::Add
                                                : PickleMethod::Extend);
        if (wanted != PickleKind::List) noteKeys(contents, pairs ? 2 : 1);
    }
    if (holds) append(top(), contents, pairs);
    return true;
}

bool Unpickler::stackOpcode(unsigned char opcode) {
    const auto index = [&] {
        std::uint64_t value = 0;
        const std::string_view digits = line();
        if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
            fail(Message("pickle.bad_memo_index"));
        return value;
    };
    switch (opcode) {
    case kPop:
        if (!m_marks.empty() && m_marks.back() == m_top) m_marks.pop_back();
        else pop();
        return true;
    case kPopMark: popMark(); return true;
    case kDup: push(top()); return true;
    case kPut: remember(index()); return true;
    case kBinPut: remember(number<1>()); return true;
    case kMemoize: remember(m_memoized); return true;
    case kGet: push(recall(index())); return true;
    case kLongBinGet: push(recall(number<4>())); return true;
    default: return false;
    }
}

bool Unpickler::callOpcode(unsigned char opcode) {
    switch (opcode) {
    case kGlobal: {
        const PickleRef module = addString(line());
        push(addGlobal(module, addString(line())));
        return true;
    }
    case kStackGlobal: {
        const PickleRef name = pop(), module = pop();
        push(addGlobal(module, name));
        return true;
    }
    case kReduce:
    case kNewObj: {
        const PickleRef args = pop(), callee = pop();
        push(addCall(opcode == kReduce ? PickleKind::Reduce : PickleKind::NewObj, callee, args));
        return true;
    }
    case kNewObjEx: {
        const PickleRef kwargs = pop(), args = pop(), both[] = {args, kwargs};
        push(addCall(PickleKind::NewObjEx, pop(), addContainer(PickleKind::Tuple, both)));
        return true;
    }
    case kInst: {
        if (m_marks.empty()) fail(Message("pickle.missing_mark"));
        const PickleRef module = addString(line()), cls = addGlobal(module, addString(line()));
        push(addCall(PickleKind::Reduce, cls, addContainer(PickleKind::Tuple, popMark())));
        return true;
    }
    case kObj: {
        const auto parts = popMark();
        if (parts.empty()) fail(Message("pickle.no_class"));
        push(addCall(PickleKind::Reduce, parts[0], addContainer(PickleKind::Tuple, parts.subspan(1))));
        return true;
    }
    case kBuild: setState(); return true;
    case kPersId: push(addCall(PickleKind::Persistent, addString(line()), kNoPickle)); return true;
    case kBinPersId: push(addCall(PickleKind::Persistent, pop(), kNoPickle)); return true;
    default: return false;
    }
}

void Unpickler::setState() {
    const PickleRef state = pop();
    Object& object = m_arena.m_objects[top()];
    note(top(), PickleMethod::SetState);
    if (m_arena.is(state, PickleKind::Tuple) && m_arena.itemCount(state) == 2) note(top(), PickleMethod::SetAttr);
    if (m_notes && (!isCall(object.kind) || object.c != kNoPickle)) return;
    if (!isCall(object.kind)) fail(Message("pickle.state_without_object"));
    if (object.c != kNoPickle) fail(Message("pickle.second_state"));
    object.c = state;
}

bool Unpickler::frameOpcode(unsigned char opcode) {
    switch (opcode) {
    case kProto:
        if (const auto protocol = static_cast<int>(number<1>()); protocol > kNewestProtocol)
            fail(Message("pickle.unknown_protocol", {{"protocol", protocol}}));
        return true;
    case kFrame:
        if (number<8>() > m_arena.m_bytes->size() - m_at) fail(Message("pickle.truncated"));
        return true;
    case kExt1:
    case kExt2:
    case kExt4: fail(Message("pickle.extension"));
    case kNextBuffer:
    case kReadOnlyBuffer: fail(Message("pickle.external_buffers"));
    default: return false;
    }
}

} // namespace fx
