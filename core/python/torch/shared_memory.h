// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace fx {

/// Tensors of a program that share memory: a write to one of them is seen by all. Storages do not tell, because a copy
/// has the storage of its original until one of them is written to. Holds tensors weakly. Not thread-safe.
class SharedMemory {
public:
    /// Memory of several tensors.
    struct Block {
        TensorPtr whole; ///< all of the memory, as a vector
        std::vector<std::weak_ptr<const TensorRef>> members;
    };
    using BlockPtr = std::shared_ptr<Block>;

    /// Returns true if the memory of a tensor can be described as a vector of its dtype.
    static bool canShare(const TensorRef& tensor);
    /// Returns the memory that a tensor is known to have; null if it never shared any.
    BlockPtr known(const TensorRef& tensor) const;
    /// Returns the memory that a tensor shares with others that still exist; else null.
    BlockPtr shared(const TensorRef& tensor) const;
    /// Returns the memory of a tensor, which can share it.
    BlockPtr blockOf(const TensorPtr& tensor);
    /// Makes a tensor a part of the memory whose storage it has.
    void join(const TensorPtr& tensor, const BlockPtr& block);
    /// Ends the sharing of a tensor with others.
    void leave(const TensorRef& tensor);
    /// Gives new content to a tensor that has all of its memory, and to all that share it.
    void exchange(const TensorRef& tensor, const std::shared_ptr<const Storage>& content);
    /// Gives new content to a memory, and so to all tensors that share it.
    static void write(Block& block, const std::shared_ptr<const Storage>& content);

private:
    struct Entry {
        std::weak_ptr<const TensorRef> tensor;
        BlockPtr block;
    };
    void forgetDead();

    std::unordered_map<const TensorRef*, Entry> m_blockOf;
    std::size_t m_most = 64; ///< entries before those of dead tensors are forgotten
};

/// Gives a tensor the storage, type and geometry of another; its own flags stay.
void giveBytes(TensorRef& tensor, const TensorRef& value);
/// Returns true if two tensors have the same geometry and storages with the same bytes.
bool haveSameBytes(const TensorRef& a, const TensorRef& b);

} // namespace fx
