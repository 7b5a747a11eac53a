// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/inputs/stimulus.h"

#include "core/engine/dispatch.h"
#include "core/engine/draw.h"
#include "core/engine/for_each_tensor.h"
#include "core/engine/verify/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fx::engine {
namespace {

constexpr std::int64_t kSampled = 4096;
constexpr std::int64_t kPeriod = 8191; ///< a prime: no size of a tensor is a multiple of it

at::Tensor zeros(const std::vector<std::int64_t>& sizes, at::ScalarType type) {
    return callOperator("aten::zeros", {{Value::list(Values(sizes.begin(), sizes.end()))}, {{"dtype", type}}}).tensor();
}

at::Tensor tensorOf(const std::vector<double>& elements) {
    at::Tensor out = zeros({static_cast<std::int64_t>(elements.size())}, at::kDouble);
    std::copy(elements.begin(), elements.end(), static_cast<double*>(out.mutable_data_ptr()));
    return out;
}

/// Draws elements like others.
class Source {
public:
    explicit Source(const std::vector<double>& elements) {
        for (const double each : elements)
            if (std::isfinite(each)) m_finite.push_back(each);
        if (m_finite.empty()) return;
        const auto [low, high] = std::minmax_element(m_finite.begin(), m_finite.end());
        m_scale = std::max(std::abs(*low), std::abs(*high));
        m_varies = *high - *low > 1e-6 * m_scale;
        m_isNegative = *low < 0;
        if (m_scale == 0) m_scale = 1;
    }
    double next(Random& random) {
        if (m_varies) return m_finite[random() % m_finite.size()];
        const double drawn = m_scale * m_normal(random);
        return m_finite.empty() || m_isNegative ? drawn : std::abs(drawn);
    }

private:
    std::vector<double> m_finite;
    std::normal_distribution<double> m_normal;
    double m_scale = 1;
    bool m_varies = false, m_isNegative = false;
};

std::uint64_t checksum(const at::Tensor& tensor) {
    std::uint64_t sum = static_cast<std::uint64_t>(tensor.numel());
    for (const double each : elementsOf(tensor, kSampled)) sum = sum * 1099511628211u + std::hash<double>()(each);
    return sum;
}

/// The elements in another order.
at::Tensor shuffled(const at::Tensor& tensor, Random& random) {
    at::Tensor places = zeros({tensor.numel()}, at::kLong);
    auto* const data = static_cast<std::int64_t*>(places.mutable_data_ptr());
    std::iota(data, data + places.numel(), std::int64_t{0});
    std::shuffle(data, data + places.numel(), random);
    return plain(tensor).flatten().index_select(0, places).view(tensor.sizes());
}

} // namespace

bool isFloatTensor(const at::Tensor& tensor) {
    return tensor.layout() == at::kStrided && (tensor.is_floating_point() || tensor.is_complex());
}

Value mapTensors(const Value& value, const std::function<at::Tensor(const at::Tensor&)>& map) {
    if (value.isTensor()) return map(value.tensor());
    if (const Items* items = value.items()) {
        auto out = std::make_shared<Items>(*items);
        for (Value& item : out->items) item = mapTensors(item, map);
        return out;
    }
    if (const Mapping* mapping = value.mapping()) {
        auto out = std::make_shared<Mapping>(*mapping);
        for (auto& [key, item] : out->items) item = mapTensors(item, map);
        return out;
    }
    return value;
}

Value mapPairs(const Value& value, const Value& other,
               const std::function<at::Tensor(const at::Tensor&, const at::Tensor&)>& map) {
    std::vector<at::Tensor> others;
    forEachTensor(other, [&](const at::Tensor& tensor) { others.push_back(tensor); });
    std::size_t next = 0;
    return mapTensors(value, [&](const at::Tensor& tensor) {
        const at::Tensor there = next < others.size() ? others[next] : tensor;
        ++next;
        return map(tensor, there);
    });
}

Values valuesOf(const RunInputs& inputs) {
    Values values = inputs.positional;
    for (const auto& [name, value] : inputs.named) values.push_back(value);
    return values;
}

RunInputs mapInputs(const RunInputs& inputs, const std::function<at::Tensor(const at::Tensor&)>& map) {
    RunInputs out;
    for (const Value& value : inputs.positional) out.positional.push_back(mapTensors(value, map));
    for (const auto& [name, value] : inputs.named) out.named.emplace_back(name, mapTensors(value, map));
    return out;
}

at::Tensor withElements(const at::Tensor& tensor, const std::function<void(double* data, std::int64_t count)>& change) {
    const at::Tensor flat = plain(tensor).flatten().to(at::kDouble).clone();
    change(static_cast<double*>(flat.mutable_data_ptr()), flat.numel());
    return flat.to(tensor.scalar_type()).view(tensor.sizes());
}

at::Tensor wholeNumbers(const at::Tensor& like, const std::function<std::int64_t(std::int64_t place)>& number) {
    const at::Tensor flat = zeros({like.numel()}, at::kLong);
    auto* const data = static_cast<std::int64_t*>(flat.mutable_data_ptr());
    for (std::int64_t i = 0; i < flat.numel(); ++i) data[i] = number(i);
    return flat.to(like.scalar_type()).view(like.sizes());
}

std::vector<double> elementsOf(const at::Tensor& tensor, std::int64_t most) {
    at::Tensor flat = plain(tensor);
    if (flat.is_complex()) flat = callOperator("aten::view_as_real", {{flat}, {}}).tensor();
    flat = flat.flatten();
    const std::int64_t step = std::max<std::int64_t>(1, flat.numel() / std::max<std::int64_t>(1, most)) | 1;
    flat = flat.slice(0, 0, flat.numel(), step).to(at::kDouble).contiguous();
    const auto* data = static_cast<const double*>(flat.const_data_ptr());
    return {data, data + flat.numel()};
}

at::Tensor drawnLike(const std::vector<double>& elements, const std::vector<std::int64_t>& sizes, at::ScalarType type,
                     Random& random) {
    const std::int64_t count = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    Source source(elements);
    std::vector<double> block(static_cast<std::size_t>(std::min(count, kPeriod)));
    for (double& each : block) each = source.next(random);
    const at::Tensor once = tensorOf(block).to(type);
    if (count <= kPeriod) return once.view(sizes);
    return once.repeat({(count + kPeriod - 1) / kPeriod}).narrow(0, 0, count).clone().view(sizes);
}

Samples samplesOf(const Value& value) {
    Samples samples;
    for (const Value& leaf : leavesOf(value))
        if (leaf.isTensor()) samples.push_back(elementsOf(leaf.tensor(), kSampled));
        else samples.push_back({leaf.real().value_or(0)});
    return samples;
}

Movement movementOf(const std::vector<double>& before, const std::vector<double>& after) {
    Movement out;
    if (before.size() != after.size()) return {std::numeric_limits<double>::infinity(), 0};
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (!std::isfinite(before[i]) || !std::isfinite(after[i])) continue;
        out.by = std::max(out.by, std::abs(after[i] - before[i]));
        out.scale = std::max({out.scale, std::abs(before[i]), std::abs(after[i])});
    }
    return out;
}

Pattern::Pattern(const Value& value) {
    m_skeleton = mapTensors(value, [&](const at::Tensor& given) {
        const at::Tensor tensor = given.is_mkldnn() ? given.to_dense() : given;
        if (!isFloatTensor(tensor)) return tensor.clone();
        m_leaves.push_back({tensor.sizes().vec(), tensor.scalar_type(), elementsOf(tensor, kSampled)});
        return zeros({0}, tensor.scalar_type());
    });
}

Value Pattern::draw(Random& random) const {
    std::size_t next = 0;
    return mapTensors(m_skeleton, [&](const at::Tensor& tensor) -> at::Tensor {
        if (at::isIntegralType(tensor.scalar_type(), false)) return shuffled(tensor, random);
        if (!isFloatTensor(tensor)) return tensor.clone();
        const Leaf& leaf = m_leaves[next++];
        return drawnLike(leaf.elements, leaf.sizes, leaf.type, random);
    });
}

Value denseCopyOf(const Value& value) {
    return mapTensors(value,
                      [](const at::Tensor& tensor) { return tensor.is_mkldnn() ? tensor.to_dense() : tensor.clone(); });
}

RunInputs copyOf(const RunInputs& inputs) {
    return mapInputs(inputs, [](const at::Tensor& tensor) { return tensor.clone(); });
}

RunInputs otherInputs(const RunInputs& inputs, std::uint64_t seed) {
    return mapInputs(inputs, [&](const at::Tensor& tensor) -> at::Tensor {
        const bool number = isFloatTensor(tensor) || at::isIntegralType(tensor.scalar_type(), false);
        if (!number || tensor.numel() == 0) return tensor.clone();
        Random random(seed ^ checksum(tensor));
        const at::Tensor mixed = shuffled(tensor, random);
        if (!isFloatTensor(tensor)) return mixed;
        if (!mixed.equal(tensor)) return mixed;
        return drawnLike({}, tensor.sizes().vec(), tensor.scalar_type(), random);
    });
}

RunInputs newInputs(const RunInputs& inputs, std::uint64_t seed, double scale) {
    const RunInputs others = otherInputs(inputs, seed);
    Random random(seed);
    return mapInputs(others, [&](const at::Tensor& tensor) {
        if (!isFloatTensor(tensor) || tensor.numel() == 0) return tensor;
        double largest = 0;
        for (const double each : elementsOf(tensor, kSampled))
            if (std::isfinite(each)) largest = std::max(largest, std::abs(each));
        return drawnLike({-scale * largest}, tensor.sizes().vec(), tensor.scalar_type(), random);
    });
}

Value thawed(const Value& value, const Value& other, Random& random) {
    return mapPairs(value, other, [&](const at::Tensor& tensor, const at::Tensor& there) {
        if (!isFloatTensor(tensor) || tensor.numel() == 0 || tensor.sizes() != there.sizes()) return tensor.clone();
        const at::Tensor frozen = tensor.eq(there);
        const at::Tensor moving = tensor.masked_select(frozen.logical_not());
        if (moving.numel() == tensor.numel()) return tensor.clone();
        const auto elements = elementsOf(moving.numel() > 0 ? moving : tensor, kSampled);
        const at::Tensor drawn = drawnLike(elements, tensor.sizes().vec(), tensor.scalar_type(), random);
        return drawn.where(frozen, tensor);
    });
}

} // namespace fx::engine
