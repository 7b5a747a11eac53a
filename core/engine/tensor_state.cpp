// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/tensor_store.h"

#include <ATen/MemoryOverlap.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstring>

namespace fx::engine {
namespace {

bool isPlainMemory(const at::Tensor& tensor) {
    return tensor.is_cpu() && tensor.layout() == at::kStrided && tensor.is_contiguous();
}

/// Several elements may share a byte: a tensor has no more than its storage.
std::size_t bytesIn(const at::Tensor& tensor) { return std::min(tensor.nbytes(), tensor.storage().nbytes()); }

bool haveSameBits(const at::Tensor& a, const at::Tensor& b) {
    if (!isPlainMemory(a) || !isPlainMemory(b)) return a.equal(b);
    const std::size_t bytes = bytesIn(a);
    return bytes == bytesIn(b) && (bytes == 0 || std::memcmp(a.const_data_ptr(), b.const_data_ptr(), bytes) == 0);
}

/// `clone()` and `copy_()` of LibTorch know one scale for all elements only.
bool hasOtherScales(const at::Tensor& tensor) {
    return tensor.is_quantized() && tensor.qscheme() != at::kPerTensorAffine;
}

at::Tensor copied(const at::Tensor& tensor) {
    if (!hasOtherScales(tensor)) return tensor.clone();
    const c10::Storage& from = tensor.storage();
    c10::Storage to(c10::Storage::use_byte_size_t(), from.nbytes(),
                    from.allocator() ? from.allocator() : c10::GetCPUAllocator(), true);
    if (from.nbytes() > 0) std::memcpy(to.mutable_data(), from.data(), from.nbytes());
    at::Tensor out = tensor.detach();
    out.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(to));
    return out;
}

void overwrite(const at::Tensor& target, const at::Tensor& source) {
    if (!hasOtherScales(target)) target.detach().copy_(source);
    else if (const std::size_t bytes = source.storage().nbytes(); bytes == target.storage().nbytes())
        std::memcpy(target.storage().mutable_data(), source.storage().data(), bytes);
}

} // namespace

void TensorStore::save(const TensorRef* ref, const at::Tensor& tensor) {
    if (ref->isParameter) m_saved->insert_or_assign(ref, Saved{{}, tensor._version()});
    else m_saved->insert_or_assign(ref, Saved{copied(tensor), 0});
}

void TensorStore::keepState() {
    const c10::InferenceMode ordinary(false);
    m_saved.emplace();
    for (const auto& [ref, entry] : m_tensors) save(ref, entry.second);
}

bool TensorStore::isChanged(const at::Tensor& now, const Saved& saved) const {
    if (!saved.value.defined()) return now._version() != saved.version;
    return now.sizes() != saved.value.sizes() || !haveSameBits(now, saved.value);
}

bool TensorStore::isChanged(const TensorPtr& ref) const {
    if (!m_saved) return false;
    const auto saved = m_saved->find(ref.get());
    return saved != m_saved->end() && isChanged(m_tensors.at(ref.get()).second, saved->second);
}

void TensorStore::restore() {
    if (!m_saved) return;
    const c10::InferenceMode ordinary(false);
    m_scripts.clear();
    for (auto& [ref, saved] : *m_saved) {
        const auto& [kept, now] = m_tensors.at(ref);
        if (!isChanged(now, saved) || at::has_internal_overlap(now) == at::MemOverlap::Yes) continue;
        TensorStore fresh; // maps the file again
        fresh.m_scopes = m_scopes;
        const at::Tensor first = saved.value.defined() ? saved.value : fresh.make(kept);
        if (now.sizes() != first.sizes()) now.resize_(first.sizes());
        overwrite(now, first);
        if (!saved.value.defined()) saved.version = now._version();
    }
}

const TensorStore::ScriptCopy& TensorStore::script(const std::string& path, const std::function<ScriptCopy()>& make) {
    auto known = m_scripts.find(path);
    if (known == m_scripts.end()) known = m_scripts.emplace(path, make()).first;
    return known->second;
}

const TensorStore::ScriptCopy* TensorStore::script(const std::string& path) const {
    const auto known = m_scripts.find(path);
    return known == m_scripts.end() ? nullptr : &known->second;
}

} // namespace fx::engine
