// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a generator as PyTorch writes it: `CPUGeneratorImplState` of ATen/CPUGeneratorImpl.cpp.
#include "core/make/initial_weights.h"

#include <array>
#include <cstring>
#include <sstream>

namespace fx {
namespace {

constexpr std::size_t kWords = std::mt19937::state_size;

struct WrittenState {
    std::uint64_t seed = 0;
    std::int32_t left = 1, isSeeded = 1; ///< `left`: numbers until the next block of words, plus one
    std::uint64_t next = 0;
    std::array<std::uint64_t, kWords> words{};
    double unused1 = 0, spareNormal = 0, unused2 = 0;
    std::int32_t hasSpareNormal = 0;
    float spareFloat = 0;
    std::uint8_t hasSpareFloat = 0;
};
static_assert(sizeof(WrittenState) == 5056);

} // namespace

TensorPtr TorchGenerator::stateTensor() const {
    WrittenState state;
    std::stringstream numbers; // the words and how many of them were taken, as the standard writes them
    numbers << m_engine;
    for (std::uint64_t& word : state.words) numbers >> word;
    numbers >> state.next;
    state.left = static_cast<std::int32_t>(kWords - state.next + 1);
    state.hasSpareNormal = m_spareNormal.has_value(), state.spareNormal = m_spareNormal.value_or(0);
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = DType::UInt8;
    tensor->sizes = {static_cast<std::int64_t>(sizeof(state))};
    tensor->strides = {1};
    std::vector<std::byte> bytes(sizeof(state));
    std::memcpy(bytes.data(), &state, sizeof(state));
    tensor->storage = Storage::inMemory(std::move(bytes));
    return tensor;
}

void TorchGenerator::setState(const TensorRef& tensor) {
    WrittenState state;
    if (tensor.byteCount() != sizeof(state))
        throw Error(ErrorKind::Run,
                    Message("make.generator_state", {{"count", tensor.byteCount()}, {"expected", sizeof(state)}}));
    tensor.storage->read(static_cast<std::uint64_t>(tensor.offset), std::as_writable_bytes(std::span(&state, 1)));
    std::stringstream numbers;
    for (const std::uint64_t word : state.words) numbers << word << ' ';
    numbers << (state.next == 0 ? kWords : state.next);
    numbers >> m_engine;
    m_spareNormal.reset();
    if (state.hasSpareNormal) m_spareNormal = state.spareNormal;
}

} // namespace fx
