// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/initial_weights.h"

#include "core/base/memory.h"
#include "core/make/normal_numbers.h"
#include "core/tensor/encode_elements.h"
#include "core/trace/allowance.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

namespace fx {
namespace {

constexpr const char* kShapeOnly = "a new weight, not drawn yet";
constexpr std::uint64_t kBytesPerUnit = 32;  ///< of weights, drawn in a unit of work
constexpr std::size_t kCheckEvery = 1 << 20; ///< elements; a millisecond or two

/// Throws when the bytes of so many elements cannot be counted.
std::uint64_t bytesOf(const std::vector<std::int64_t>& sizes, DType dtype) {
    std::uint64_t bytes = elementSize(dtype);
    bool isTooLarge = false;
    for (const std::int64_t size : sizes)
        isTooLarge |= __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes);
    if (isTooLarge || bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        throw Error(ErrorKind::Refused, Message("make.too_many_bytes"));
    return bytes;
}

} // namespace

bool TorchGenerator::draws(DType dtype) {
    return dtype == DType::Float32 || dtype == DType::Float64 || dtype == DType::Float16 || dtype == DType::BFloat16;
}

/// A tensor that is being made, and its elements: `values` are those of float32. None when it gets a shape only.
struct TorchGenerator::Fresh {
    std::shared_ptr<TensorRef> tensor = std::make_shared<TensorRef>();
    std::vector<std::byte> bytes;
    std::span<float> values;
    std::size_t count() const { return bytes.size() / elementSize(tensor->dtype); }
    void set(std::size_t at, double value) {
        encodeElement(tensor->dtype, value, bytes.data() + at * elementSize(tensor->dtype));
    }
    TensorPtr done() {
        if (!tensor->storage) tensor->storage = Storage::inMemory(std::move(bytes));
        return std::move(tensor);
    }
};

/// float16 and bfloat16 are drawn as float32 and rounded, as in PyTorch.
TensorPtr TorchGenerator::narrowed(const std::function<TensorPtr()>& draw) {
    const DType wanted = m_dtype;
    const DrawnType wide(*this, DType::Float32);
    const TensorPtr drawn = draw();
    if (!isShapeOnly(*drawn)) return converted(*drawn, wanted);
    TensorRef shape = *drawn;
    shape.dtype = wanted;
    return undrawn(shape);
}

namespace {
std::atomic<std::uint64_t> allDrawn{0};
}

std::uint64_t drawnBytes() { return allDrawn.load(std::memory_order_relaxed); }

TorchGenerator::Fresh TorchGenerator::fresh(const std::vector<std::int64_t>& sizes, bool isParameter) {
    const std::uint64_t bytes = bytesOf(sizes, m_dtype);
    Fresh made;
    made.tensor->dtype = m_dtype;
    made.tensor->sizes = sizes;
    made.tensor->strides.assign(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;)
        made.tensor->strides[i - 1] = made.tensor->strides[i] * std::max<std::int64_t>(sizes[i], 1);
    made.tensor->isParameter = made.tensor->requiresGrad = isParameter;
    if (m_weights == NewWeights::ShapesOnly) {
        made.tensor->storage = Storage::expression(kShapeOnly, bytes);
        return made;
    }
    m_progress.check();
    constexpr std::uint64_t kNeverRefused = 64 << 20;
    if (const std::uint64_t free = bytes > kNeverRefused ? freeMemory() : 0; free > 0 && bytes > free)
        throw Error(ErrorKind::Refused,
                    Message("make.no_memory", {{"needed", bytesInWords(bytes)}, {"free", bytesInWords(free)}}));
    if (m_charges) trace::charge(bytes / kBytesPerUnit);
    allDrawn.fetch_add(bytes, std::memory_order_relaxed);
    made.bytes.resize(static_cast<std::size_t>(bytes));
    if (m_dtype == DType::Float32)
        made.values = {reinterpret_cast<float*>(made.bytes.data()), made.bytes.size() / sizeof(float)};
    return made;
}

void TorchGenerator::check(std::size_t drawn, std::size_t all) const {
    if (drawn % kCheckEvery != 0 || drawn == 0) return;
    m_progress.check();
    m_progress.report("drawing new weights", static_cast<double>(drawn) / static_cast<double>(all));
}

/// 24 random bits: a number in [0, 1).
float TorchGenerator::nextUniform() {
    constexpr int kDigits = std::numeric_limits<float>::digits;
    constexpr std::uint32_t kMask = (1u << kDigits) - 1;
    return static_cast<float>(static_cast<std::uint32_t>(m_engine()) & kMask) * (1.0f / (1u << kDigits));
}

/// 53 random bits: a number in [0, 1).
double TorchGenerator::nextUniform53() {
    constexpr std::uint64_t kMask = (std::uint64_t{1} << 53) - 1;
    const std::uint64_t high = m_engine(), low = m_engine();
    return static_cast<double>(((high << 32) | low) & kMask) * (1.0 / static_cast<double>(std::uint64_t{1} << 53));
}

TensorPtr TorchGenerator::uniform(const std::vector<std::int64_t>& sizes, double from, double to) {
    if (isNarrow()) return narrowed([&] { return uniform(sizes, from, to); });
    const float low = static_cast<float>(from), high = static_cast<float>(to);
    Fresh made = fresh(sizes, true);
    if (m_dtype == DType::Float64)
        for (std::size_t i = 0; i < made.count(); ++i)
            check(i, made.count()), made.set(i, std::fma(nextUniform53(), to - from, from));
    // PyTorch's kernel is compiled with fused multiply-add: one rounding.
    for (std::size_t i = 0; i < made.values.size(); ++i) {
        check(i, made.values.size());
        made.values[i] = std::fma(nextUniform(), high - low, low);
    }
    return made.done();
}

/// at::normal_distribution<double>: pairs by Box-Muller, from 53 random bits each.
double TorchGenerator::nextNormal() {
    if (m_spareNormal) return *std::exchange(m_spareNormal, std::nullopt);
    const double first = nextUniform53(), second = nextUniform53();
    const double radius = std::sqrt(-2.0 * std::log1p(-second)), angle = 2.0 * std::numbers::pi * first;
    m_spareNormal = radius * std::sin(angle);
    return radius * std::cos(angle);
}

/// ATen's `normal_fill_16<double>`.
void TorchGenerator::makeNormal16(std::span<double, 16> numbers, double mean, double deviation) {
    for (std::size_t i = 0; i < 8; ++i) {
        const double radius = std::sqrt(-2 * std::log(1 - numbers[i]));
        const double angle = 2.0F * std::numbers::pi * numbers[i + 8];
        numbers[i] = std::fma(radius * std::cos(angle), deviation, mean);
        numbers[i + 8] = std::fma(radius * std::sin(angle), deviation, mean);
    }
}

/// ATen's `normal_fill<double>`.
std::vector<double> TorchGenerator::normalNumbers(std::size_t count, double mean, double deviation) {
    std::vector<double> numbers(count);
    for (std::size_t i = 0; i < count; ++i) check(i, count), numbers[i] = nextUniform53();
    const auto transform = [&](std::size_t at) {
        makeNormal16(std::span(numbers).subspan(at).first<16>(), mean, deviation);
    };
    for (std::size_t at = 0; at + 16 <= count; at += 16) transform(at);
    if (count % 16 == 0) return numbers;
    for (std::size_t i = count - 16; i < count; ++i) numbers[i] = nextUniform53(); // the last 16 are drawn again
    transform(count - 16);
    return numbers;
}

std::optional<std::vector<double>> TorchGenerator::integers(std::size_t count, std::int64_t from, std::int64_t to) {
    if (m_weights == NewWeights::ShapesOnly) return std::nullopt;
    const std::uint64_t range = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    const auto next = [&]() -> std::uint64_t {
        const std::uint64_t first = m_engine();
        return range >= (std::uint64_t{1} << 28) ? (first << 32) | m_engine() : first;
    };
    std::vector<double> numbers(count);
    for (double& number : numbers)
        number = static_cast<double>(static_cast<std::int64_t>(next() % range + static_cast<std::uint64_t>(from)));
    return numbers;
}

std::optional<std::vector<double>> TorchGenerator::permutation(std::size_t count) {
    if (m_weights == NewWeights::ShapesOnly) return std::nullopt;
    std::vector<double> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0.0);
    for (std::size_t i = 0; i + 1 < count; ++i) std::swap(numbers[i], numbers[i + m_engine() % (count - i)]);
    return numbers;
}

TensorPtr TorchGenerator::undrawn(const TensorRef& shape) {
    auto tensor = std::make_shared<TensorRef>(shape);
    tensor->storage = Storage::expression(kShapeOnly, static_cast<std::uint64_t>(shape.byteCount()));
    return tensor;
}

namespace {
/// float16 and bfloat16: PyTorch draws whole blocks of 16 and then the last 16 again, and no numbers beyond the blocks.
TensorPtr normalByBlocks(TorchGenerator& random, const std::vector<std::int64_t>& sizes, double mean,
                         double deviation) {
    constexpr std::int64_t kBlock = 16;
    const std::int64_t count =
        std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<std::int64_t>());
    if (count < kBlock || count % kBlock == 0) return random.normal(sizes, mean, deviation);
    const TensorPtr blocks = random.normal({count / kBlock * kBlock}, mean, deviation),
                    last = random.normal({kBlock}, mean, deviation);
    TensorRef made = *blocks;
    made.sizes = sizes;
    made.strides.assign(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;)
        made.strides[i - 1] = made.strides[i] * std::max<std::int64_t>(sizes[i], 1);
    if (isShapeOnly(*blocks)) return TorchGenerator::undrawn(made);
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * sizeof(float));
    const std::size_t first = static_cast<std::size_t>(count - kBlock) * sizeof(float);
    blocks->storage->read(0, std::span(bytes).first(first));
    last->storage->read(0, std::span(bytes).subspan(first));
    made.storage = Storage::inMemory(std::move(bytes));
    return std::make_shared<const TensorRef>(std::move(made));
}
} // namespace

TensorPtr TorchGenerator::normal(const std::vector<std::int64_t>& sizes, double mean, double deviation) {
    constexpr std::size_t kBlock = 16; // smaller tensors go another way in PyTorch
    if (isNarrow()) return narrowed([&] { return normalByBlocks(*this, sizes, mean, deviation); });
    Fresh made = fresh(sizes, true);
    if (m_dtype == DType::Float64) {
        const std::size_t count = made.count();
        if (count >= kBlock) {
            const std::vector<double> numbers = normalNumbers(count, mean, deviation);
            for (std::size_t i = 0; i < count; ++i) made.set(i, numbers[i]);
        } else
            for (std::size_t i = 0; i < count; ++i) made.set(i, nextNormal() * deviation + mean);
        return made.done();
    }
    const std::span<float> values = made.values;
    if (values.size() < kBlock) {
        for (float& value : values) value = static_cast<float>(nextNormal() * deviation + mean);
        return made.done();
    }
    const auto transform = [&](std::size_t at) {
        fx::makeNormal16(values.subspan(at).first<kBlock>(), static_cast<float>(mean), static_cast<float>(deviation));
    };
    for (std::size_t i = 0; i < values.size(); ++i) check(i, values.size()), values[i] = nextUniform();
    for (std::size_t at = 0; at + kBlock <= values.size(); at += kBlock) check(at, values.size()), transform(at);
    if (values.size() % kBlock != 0) { // the last 16 are drawn again
        for (std::size_t i = values.size() - kBlock; i < values.size(); ++i) values[i] = nextUniform();
        transform(values.size() - kBlock);
    }
    return made.done();
}

TensorPtr TorchGenerator::filled(const std::vector<std::int64_t>& sizes, double value, bool isParameter) {
    Fresh made = fresh(sizes, isParameter);
    std::fill(made.values.begin(), made.values.end(), static_cast<float>(value));
    if (m_dtype != DType::Float32)
        for (std::size_t i = 0; i < made.count(); ++i) made.set(i, value);
    return made.done();
}

bool isShapeOnly(const TensorRef& tensor) {
    return tensor.storage && tensor.storage->isExpression() && tensor.storage->expressionSource() == kShapeOnly;
}

TensorPtr zeroCounter() {
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = DType::Int64;
    tensor->storage = Storage::inMemory(std::vector<std::byte>(8));
    return tensor;
}

TensorPtr withZeroRow(const TensorRef& matrix, std::size_t row) {
    if (isShapeOnly(matrix)) return std::make_shared<TensorRef>(matrix);
    std::vector<std::byte> bytes(static_cast<std::size_t>(matrix.elementCount()) * elementSize(matrix.dtype));
    matrix.storage->read(0, bytes);
    const std::size_t width = static_cast<std::size_t>(matrix.sizes[1]) * elementSize(matrix.dtype);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(row * width), width, std::byte{0});
    auto tensor = std::make_shared<TensorRef>(matrix);
    tensor->storage = Storage::inMemory(std::move(bytes));
    return tensor;
}

} // namespace fx
