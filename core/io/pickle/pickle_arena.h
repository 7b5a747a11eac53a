// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/blocks.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Index of an object in a PickleArena.
using PickleRef = std::uint32_t;
/// The missing object.
inline constexpr PickleRef kNoPickle = 0xFFFFFFFFu;

/// The kind of an object in a pickle. Calls (`Reduce`, `NewObj`) are data; nothing is imported or run.
enum class PickleKind : std::uint8_t {
    None,
    Bool,
    Int,
    BigInt,
    Float,
    String,
    Bytes,
    ByteArray,
    Tuple,
    List,
    Dict,
    Set,
    FrozenSet,
    Global,     ///< a class or function by name
    Persistent, ///< an external object that the pickle refers to; in PyTorch's files, a storage
    Reduce,     ///< callable(*args)
    NewObj,     ///< cls.__new__(cls, *args)
    NewObjEx,   ///< cls.__new__(cls, *args, **kwargs); args is the tuple (args, kwargs)
};

/// A method that Python calls on an object while it reads a pickle, if the class of the object has it.
enum class PickleMethod : std::uint8_t {
    Extend, ///< or `append`, where there is no `extend`
    Add,
    SetItem,
    SetState,
    SetAttr, ///< for a state with slots
    Hash,    ///< the object is a key, or in one if it is a tuple
};

/// Returns true for the results of calls.
inline bool isCall(PickleKind kind) {
    return kind == PickleKind::Reduce || kind == PickleKind::NewObj || kind == PickleKind::NewObjEx;
}

/// The objects of one pickle as data, addressed by index.
///
/// Objects may form cycles and nest without bound. No function recurses, and freeing an arena takes a few steps
/// whatever its shape. Strings are views into the pickle's bytes, which the arena owns.
class PickleArena {
public:
    /// Number of objects.
    std::size_t size() const { return m_objects.size(); }
    /// The object that the pickle returns.
    PickleRef root() const { return m_root; }
    /// Offset of the byte after the pickle.
    std::size_t end() const { return m_end; }
    /// Makes `ref` what `other` is: a persistent object that stands for an object of the pickle.
    void become(PickleRef ref, PickleRef other) { m_objects[ref] = m_objects[other]; }
    PickleKind kind(PickleRef ref) const { return m_objects[ref].kind; }
    /// False for `kNoPickle`.
    bool is(PickleRef ref, PickleKind kind) const { return ref != kNoPickle && m_objects[ref].kind == kind; }
    bool boolean(PickleRef ref) const { return m_objects[ref].a != 0; } ///< of a Bool
    std::int64_t integer(PickleRef ref) const;                          ///< of an Int
    double real(PickleRef ref) const;                                   ///< of a Float
    std::string_view text(PickleRef ref) const;                         ///< of a String (UTF-8), Bytes or ByteArray
    std::string bigIntDigits(PickleRef ref) const; ///< of a BigInt: decimal; hexadecimal beyond 4,000 digits
    /// The module of a Global.
    std::string_view globalModule(PickleRef ref) const { return text(m_objects[ref].a); }
    /// The name of a Global.
    std::string_view globalName(PickleRef ref) const { return text(m_objects[ref].b); }
    /// Returns "module.name" of a Global, with Python 2 names of builtins converted to Python 3; empty for other kinds.
    std::string qualifiedName(PickleRef ref) const;
    /// Returns true for the Global with this qualified name.
    bool isGlobal(PickleRef ref, std::string_view qualifiedName) const;

    /// The callable or class of a call; the id of a Persistent.
    PickleRef callee(PickleRef ref) const { return m_objects[ref].a; }
    PickleRef args(PickleRef ref) const { return m_objects[ref].b; } ///< of a call
    /// The state of a call that BUILD set, or kNoPickle.
    PickleRef state(PickleRef ref) const { return m_objects[ref].c; }
    /// Returns true for a call of the Global with this qualified name.
    bool isCallOf(PickleRef ref, std::string_view qualifiedName) const;

    /// Returns the elements of a tuple, list or set, or the values appended to a call.
    std::vector<PickleRef> items(PickleRef ref) const { return collect(ref, false); }
    /// Returns key, value, key, value... of a dict, or of the items set in a call (an OrderedDict).
    std::vector<PickleRef> pairs(PickleRef ref) const { return collect(ref, true); }
    /// Calls `visit(key, value)` for each of the `pairs`.
    template<class Visit> void forEachPair(PickleRef ref, const Visit& visit) const {
        for (std::uint32_t run = m_objects[ref].firstRun; run != kNoPickle; run = m_runs[run].next) {
            const Run& part = m_runs[run];
            if (part.pairs)
                for (std::uint32_t i = 0; i + 1 < part.count; i += 2)
                    visit(m_contents[part.offset + i], m_contents[part.offset + i + 1]);
        }
    }
    /// Number of items, or of pairs.
    std::size_t itemCount(PickleRef ref) const;
    /// Returns the value of the last pair with this key, or kNoPickle.
    PickleRef find(PickleRef dict, std::string_view key) const;

    struct MethodCall {
        PickleRef object;
        PickleMethod method;
    };
    /// The calls of methods of objects that are none of Python's own, in order; only of `unpickleNoting`.
    const Blocks<MethodCall>& methodCalls() const { return m_methodCalls; }

private:
    friend class Unpickler;
    /// The meaning of `c` of a string: raw bytes, index in m_decoded, or decimal digits of a BigInt.
    enum : std::uint32_t { kRaw = 0, kDecoded = 1, kDigits = 2 };
    /// a, b, c are halves of a number; offset, length and kind of a string; callable, args and state of a call; names
    /// of a global.
    struct Object {
        PickleKind kind = PickleKind::None;
        PickleRef a = kNoPickle, b = kNoPickle, c = kNoPickle;
        std::uint32_t firstRun = kNoPickle, lastRun = kNoPickle; ///< its content
    };
    /// A range of m_contents. A container that grows in pieces has a chain of ranges.
    struct Run {
        std::uint32_t offset, count, next;
        bool pairs;
    };
    std::vector<PickleRef> collect(PickleRef ref, bool pairs) const;

    std::shared_ptr<const std::vector<std::byte>> m_bytes;
    std::string m_decoded; ///< decoded strings (escapes of protocol 0)
    Blocks<Object> m_objects;
    Blocks<Run> m_runs;
    Blocks<PickleRef> m_contents;
    Blocks<MethodCall> m_methodCalls;
    PickleRef m_root = kNoPickle;
    std::size_t m_end = 0;
};

} // namespace fx
