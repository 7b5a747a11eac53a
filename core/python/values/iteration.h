// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"

namespace fx::python {
class GeneratorRun;

/// Iterators, and the containers made from them.
class Iteration : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    // Operations of ObjectProtocol.
    Values list(const Value& iterable);
    Iterator* iterate(const Value& iterable);
    /// Like `iterate`; raises TypeError with this text for what is not iterable.
    Iterator* iterateOr(const Value& iterable, const std::string& problem);
    void forEachItem(const Value& iterable, const std::function<void(const Value& item)>& visit);
    void extend(List& list, const Value& iterable);
    Value next(Iterator& iterator);
    Tuple* tuple(Values items);
    List* listOf(Values items);
    Iterator* iterator(std::function<Value()> next, std::string_view type = "generator");

    /// Reports this generator in `checkGenerators` if it is left suspended.
    void watch(std::weak_ptr<GeneratorRun> run) { m_generators.push_back(std::move(run)); }
    /// Throws CannotFollow if a generator is suspended inside a `finally` or `with`, which Python would still run.
    void checkGenerators();
    /// Returns up to `count` items of an iterable. An iterator keeps the rest; a list or tuple gives all.
    Values drawn(const Value& iterable, std::size_t count);
    /// Raises TypeError unless `made`, which an `__iter__` returned, is an iterator.
    void requireIterator(const Value& made);
    /// `list(iterable)` as `list`, `tuple` and displays do it, which ask objects of the program for their `__len__`.
    Values filled(const Value& iterable);
    /// Creates an iterator that calls `__next__`.
    Iterator* iteratorBy(const Value& next);

private:
    std::function<Value()> dictItems(const Dict& dict, DictView::Kind kind);

    std::vector<std::weak_ptr<GeneratorRun>> m_generators;
};

} // namespace fx::python
