// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/run_value.h"

#include <c10/core/Storage.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

/// Values on their way to the user's Python and back (core/own/trace/calls.part.py has the format).
namespace fx::engine {

/// A message to Python: a value, and the storages of its tensors as numbers. Tensors with a common storage share it on
/// the other side, too.
class OwnMessage {
public:
    /// `next` is the number of the next new storage; storages of other messages have others.
    explicit OwnMessage(std::uint64_t& next) : m_next(next) {}
    /// Makes a storage known by a number, before `put`. Without `hasBytes`, Python has its bytes already.
    void know(const c10::Storage& storage, std::uint64_t number, bool hasBytes);
    /// Appends a value. Throws Error{Run} for values that are not data, and for tensors without values
    /// ("engine.needs_values") or memory on the CPU.
    void put(const Value& value, int depth = 0);
    /// The number of a storage that is part of the message.
    std::uint64_t numberOf(const c10::Storage& storage) const { return m_numbers.at(storage.unsafeGetStorageImpl()); }
    /// The pieces to be written, in order. They point into the message and the storages.
    std::vector<std::span<const std::byte>> pieces();

private:
    friend class OwnAnswer;
    struct Known {
        c10::Storage storage;
        bool hasBytes = true;
        std::vector<at::Tensor> tensors = {}; ///< those in it that the message has
    };
    void putTensor(const at::Tensor& tensor);
    void putNumber(std::uint64_t number, int bytes);
    void putText(char form, std::string_view text);
    void putAll(char form, const Values& values, int depth);

    std::uint64_t& m_next;
    std::string m_values;
    std::vector<std::string> m_heads; ///< before the bytes of each storage
    std::map<std::uint64_t, Known> m_storages;
    std::unordered_map<const c10::StorageImpl*, std::uint64_t> m_numbers;
};

/// An answer of Python. Everything in it may be wrong: it is checked before anything is changed or made.
class OwnAnswer {
public:
    /// Reads the bytes after the length. Throws Error{Run} "engine.own_answer".
    OwnAnswer(std::span<const std::byte> bytes, OwnMessage& message);
    /// The value.
    const Value& value() const { return m_value; }
    /// Writes what the call has changed into the tensors of the message.
    void apply() const;
    /// The number of a storage that Python has made; 0 for others.
    std::uint64_t numberOf(const c10::Storage& storage) const;

private:
    std::span<const std::byte> take(std::uint64_t bytes);
    std::uint64_t number(int bytes);
    std::int64_t integer() { return static_cast<std::int64_t>(number(8)); }
    double real();
    std::string text();
    Values all(int depth);
    Value read(int depth);
    Value readNamed(Values parts) const;
    at::Tensor readTensor();
    void readStorages();

    OwnMessage& m_message;
    std::span<const std::byte> m_rest;
    std::map<std::uint64_t, c10::Storage> m_made;
    std::map<std::uint64_t, std::span<const std::byte>> m_changed;
    Value m_value;
};

} // namespace fx::engine
