// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/torch/shared_memory.h"

#include "core/make/initial_weights.h"
#include "core/tensor/storage.h"

#include <algorithm>

namespace fx {

namespace {
/// The tensor is no longer what a file has.
void giveContent(const TensorRef& tensor, const std::shared_ptr<const Storage>& content) {
    auto& own = const_cast<TensorRef&>(tensor);
    own.storage = content;
    own.origin = {};
}
} // namespace

bool SharedMemory::canShare(const TensorRef& tensor) {
    if (!tensor.storage || tensor.quantizer || tensor.conjugate || tensor.negative) return false;
    if (tensor.dtype == DType::Other || tensor.layout != "torch.strided") return false;
    if (elementsPerByte(tensor.dtype) != 1) return false;
    const std::uint64_t size = elementSize(tensor.dtype), bytes = tensor.storage->byteCount();
    return size && bytes && bytes % size == 0 && (!tensor.storage->isExpression() || isShapeOnly(tensor));
}

SharedMemory::BlockPtr SharedMemory::known(const TensorRef& tensor) const {
    const auto found = m_blockOf.find(&tensor);
    if (found == m_blockOf.end() || found->second.tensor.expired()) return nullptr;
    return found->second.block->whole->storage == tensor.storage ? found->second.block : nullptr;
}

SharedMemory::BlockPtr SharedMemory::shared(const TensorRef& tensor) const {
    BlockPtr block = known(tensor);
    if (!block) return nullptr;
    const auto isOther = [&](const auto& each) {
        const TensorPtr member = each.lock();
        return member && member.get() != &tensor && member->storage == block->whole->storage;
    };
    return std::any_of(block->members.begin(), block->members.end(), isOther) ? block : nullptr;
}

SharedMemory::BlockPtr SharedMemory::blockOf(const TensorPtr& tensor) {
    if (BlockPtr own = known(*tensor)) return own;
    auto whole = std::make_shared<TensorRef>();
    whole->dtype = tensor->dtype;
    whole->sizes = {static_cast<std::int64_t>(tensor->storage->byteCount() / elementSize(tensor->dtype))};
    whole->strides = {1};
    whole->storage = tensor->storage;
    whole->device = tensor->device;
    const auto block = std::make_shared<Block>(Block{std::move(whole), {}});
    join(tensor, block);
    return block;
}

void SharedMemory::join(const TensorPtr& tensor, const BlockPtr& block) {
    if (known(*tensor) == block) return;
    leave(*tensor);
    forgetDead();
    std::erase_if(block->members, [](const auto& each) { return each.expired(); });
    block->members.push_back(tensor);
    m_blockOf[tensor.get()] = {tensor, block};
}

void SharedMemory::leave(const TensorRef& tensor) {
    const auto found = m_blockOf.find(&tensor);
    if (found == m_blockOf.end()) return;
    std::erase_if(found->second.block->members, [&](const auto& each) { return each.lock().get() == &tensor; });
    m_blockOf.erase(found);
}

void SharedMemory::write(Block& block, const std::shared_ptr<const Storage>& content) {
    const std::shared_ptr<const Storage> old = block.whole->storage;
    const_cast<TensorRef&>(*block.whole).storage = content;
    for (const auto& each : block.members)
        if (const TensorPtr member = each.lock(); member && member->storage == old) giveContent(*member, content);
}

void SharedMemory::exchange(const TensorRef& tensor, const std::shared_ptr<const Storage>& content) {
    const BlockPtr block = known(tensor);
    if (block && content->byteCount() == block->whole->storage->byteCount()) return write(*block, content);
    leave(tensor); // the only one that is left
    giveContent(tensor, content);
}

void SharedMemory::forgetDead() {
    if (m_blockOf.size() < m_most) return;
    std::erase_if(m_blockOf, [](const auto& each) { return each.second.tensor.expired(); });
    m_most = std::max<std::size_t>(64, 2 * m_blockOf.size());
}

void giveBytes(TensorRef& tensor, const TensorRef& value) {
    tensor.dtype = value.dtype;
    tensor.dtypeText = value.dtypeText;
    tensor.sizes = value.sizes;
    tensor.strides = value.strides;
    tensor.offset = value.offset;
    tensor.storage = value.storage;
    tensor.quantizer = value.quantizer;
    tensor.origin = {};
}

bool haveSameBytes(const TensorRef& a, const TensorRef& b) {
    if (a.sizes != b.sizes || a.dtype != b.dtype || a.strides != b.strides) return false;
    if (a.storage == b.storage && a.offset == b.offset) return true;
    const auto bytes = [](const TensorRef& tensor) {
        std::vector<std::byte> out(tensor.storage->byteCount());
        tensor.storage->read(0, out);
        return out;
    };
    return a.storage->byteCount() == b.storage->byteCount() && a.offset == b.offset && bytes(a) == bytes(b);
}

} // namespace fx
