// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that several tensors of a program share: one leaf for all of them, and what they share after a run.
#include "core/textpasses/computations.h"

#include <algorithm>

namespace fx {

using trace::CannotFollow;
using trace::ConstantCall;
using trace::TensorValue;

/// Whether the program reads a tensor, or the memory that it shares with others.
bool Computations::isLeaf(const TensorPtr& tensor) const {
    if (m_leafOf.contains(tensor.get())) return true;
    const auto block = memory->known(*tensor);
    return block && m_leafOf.contains(block->whole.get());
}

/// What shares memory is a view of it in the program, whose own sizes nobody sees: `p.data.t_()` leaves `p` as it is.
void Computations::checkGeometry(const ConstantCall& call, const TensorValue& target) const {
    if (target.data || memory->shared(*target.tensor))
        throw CannotFollow(Message("trace.not_computed", {{"function", "Tensor." + std::string(call.name)}}));
}

/// Gives a tensor the sizes that the program has just given it.
void Computations::takeGeometry(const TensorPtr& tensor) {
    if (!m_peeks) {
        run();
        update(tensor);
        return;
    }
    const NodeId node = nodeOf(tensor);
    const ValueTree now = peek(node);
    if (!now.tensor) return;
    auto& own = const_cast<TensorRef&>(*tensor);
    own.sizes = now.tensor->sizes;
    own.strides = now.tensor->strides;
    if (!own.storage || own.storage->byteCount() >= now.tensor->storage->byteCount()) return;
    own.storage = Storage::expression(std::string(python::kComputedLater), now.tensor->storage->byteCount()); // it grew
    m_results[own.storage.get()] = {own.storage, node, nullptr};
}

/// Whether the program tells what became of a leaf.
bool Computations::isAsked(const Leaf& leaf) const {
    return m_writes || m_views.contains(leaf.node) || (leaf.block && !m_views.empty());
}

void Computations::takeLeaf(Leaf& leaf, const TensorRef& now) {
    if (haveSameBytes(*leaf.tensor, now)) return;
    if (leaf.block && (now.offset != 0 || now.storage->byteCount() != leaf.tensor->storage->byteCount()))
        throw Error(ErrorKind::Run, Message("passes.value_count"));
    if (leaf.block) return SharedMemory::write(*leaf.block, now.storage);
    memory->leave(*leaf.tensor);
    giveBytes(const_cast<TensorRef&>(*leaf.tensor), now);
    if (leaf.aliases.empty()) return;
    const auto block = memory->blockOf(leaf.tensor);
    for (const TensorPtr& each : leaf.aliases) {
        giveBytes(const_cast<TensorRef&>(*each), now);
        memory->join(each, block);
    }
}

/// Whether tensors of one memory can go on to share it.
bool Computations::canTie(const Held& held) const {
    if (held.hasSeveralLeaves) return false;
    const TensorRef& first = held.leaf ? *held.leaf->tensor : *held.values[0];
    const auto isLike = [&](const TensorPtr& each) {
        return SharedMemory::canShare(*each) && each->dtype == first.dtype && !memory->known(*each);
    };
    if (!SharedMemory::canShare(first) || !std::all_of(held.values.begin(), held.values.end(), isLike)) return false;
    return !held.leaf || haveSameBytes(*held.leaf->tensor, *held.now);
}

/// After the program, its views are copies: the memory that they are of is noted for the next one.
void Computations::tie(const Held& held) {
    if (!canTie(held)) {
        for (const TensorPtr& each : held.values) m_shared.insert(each->storage);
        if (held.leaf) m_shared.insert(held.leaf->tensor->storage);
        return;
    }
    const TensorPtr& first = held.leaf ? held.leaf->tensor : held.values[0];
    const auto block = held.leaf && held.leaf->block ? held.leaf->block : memory->blockOf(first);
    for (const TensorPtr& each : held.values) {
        const_cast<TensorRef&>(*each).storage = block->whole->storage; // the same bytes
        memory->join(each, block);
    }
}

void Computations::assign(const TensorPtr& to, const TensorPtr& from) {
    if (to == from) return;
    if (isLeaf(to) && !m_peeks) run(); // what was done with the old bytes
    if (m_peeks && m_writes && isLeaf(from)) throw python::ValuesNeeded();
    settle(from);
    update(from);
    memory->leave(*to);
    giveBytes(const_cast<TensorRef&>(*to), *from);
    share(to, from);
}

void Computations::share(const TensorPtr& to, const TensorPtr& from) {
    const bool isPromised = m_results.contains(from->storage.get()); // then both are the same result
    if (isPromised || to == from || !SharedMemory::canShare(*from)) return;
    if (m_leafOf.contains(to.get())) throw python::ValuesNeeded(); // with `peeks`: the program has read its old bytes
    memory->join(to, memory->blockOf(from));
    const auto leaf = m_leafOf.find(from.get());
    if (leaf == m_leafOf.end()) return;
    const std::size_t at = leaf->second; // what the program does with one is done with both
    m_leafOf.emplace(to.get(), at);
    m_leaves[at].aliases.push_back(to);
}

bool Computations::isInUse(const TensorPtr& tensor) const {
    if (isLeaf(tensor) || m_results.contains(tensor->storage.get()) || m_shared.contains(tensor->storage)) return true;
    return memory->shared(*tensor) && static_cast<std::uint64_t>(tensor->byteCount()) != tensor->storage->byteCount();
}

void Computations::exchange(const TensorPtr& tensor, const std::shared_ptr<const Storage>& content) {
    memory->exchange(*tensor, content);
}

} // namespace fx
