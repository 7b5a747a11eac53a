// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/inputs/further_inputs.h"

#include "core/engine/for_each_tensor.h"
#include "core/engine/verify/inputs/alter.h"
#include "core/engine/verify/lockstep_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

namespace fx::engine {
namespace {

constexpr std::array kInputScales = {1.0, 3.0, 1.0, 30.0, 1.0, 0.1, 10.0, 1.0, 60.0, 1.0, 100.0, 0.01, 300.0};
constexpr std::int64_t kSmallWhole = 9;   ///< integers of either sign up to that
constexpr std::int64_t kMostWhole = 4096; ///< larger ones than the given become no larger than that: they may be sizes
constexpr std::size_t kFlagKinds = 4;
constexpr std::size_t kFloatKinds = 5;                             ///< one of so many further inputs has
constexpr std::size_t kOneSign = 2, kRepeated = 3, kReordered = 4; ///< such floats
constexpr double kLargeRows = 10;  ///< times the size of the given ones, rows of one sign
constexpr std::size_t kSpikes = 6; ///< directed values
constexpr double kSpike = 30;      ///< times the size of the others, one element
constexpr std::array<double, 5> kFewFloats = {-1.3, -0.7, 0.4, 0.9, 1.6}; ///< that repeat, no halves of each other
constexpr std::size_t kDefaultKinds = 4, kOtherDefault = 2;               ///< one of so many has another default
constexpr std::int64_t kLargestBatch = 256;                               ///< a larger first size is not taken for one
constexpr std::int64_t kLargestExtent = 4096;                             ///< nor are larger sizes made larger
constexpr std::size_t kMostLengths = 24;
constexpr std::int64_t kMostElements = 1 << 20; ///< of longer inputs
constexpr std::array<std::int64_t, 2> kBatches = {1, 3};

bool isIntegers(const at::Tensor& tensor) {
    return tensor.layout() == at::kStrided && at::isIntegralType(tensor.scalar_type(), false);
}

/// The root mean square of the finite elements; 1 without such, or when they are all zero.
double sizeOf(const at::Tensor& tensor) {
    double squares = 0, count = 0;
    for (const double each : elementsOf(tensor))
        if (std::isfinite(each)) squares += each * each, ++count;
    return squares > 0 ? std::sqrt(squares / count) : 1;
}

/// Floats of which each row, along the last dimension, has one sign, and none is less than `least` in size.
at::Tensor rowsOfOneSign(const at::Tensor& like, double least, Random& random) {
    const std::int64_t width = like.dim() > 0 ? std::max<std::int64_t>(like.size(-1), 1) : 1;
    return withElements(like, [&](double* data, std::int64_t count) {
        std::uniform_real_distribution<double> more;
        for (std::int64_t i = 0; i < count; ++i) data[i] = ((i / width) % 2 != 0 ? least : -least) * (1 + more(random));
    });
}

/// One large element, of either sign, in each row along the last dimension: the first, the last or one in the middle.
at::Tensor withSpikes(const at::Tensor& normal, double spike, std::size_t turn) {
    if (normal.dim() == 0) return normal;
    const std::int64_t width = std::max<std::int64_t>(normal.size(-1), 1);
    return withElements(normal, [&](double* data, std::int64_t count) {
        for (std::int64_t row = 0; row < count / width; ++row) {
            const std::array<std::int64_t, 3> places = {width - 1, 0, width / 2};
            const std::size_t kind = static_cast<std::size_t>(row) + turn;
            data[row * width + places[kind % places.size()]] = kind / places.size() % 2 != 0 ? -spike : spike;
        }
    });
}

/// Normal floats of a size, rounded to the few numbers: these repeat, and none is zero.
at::Tensor roundedToFew(const at::Tensor& normal, double size) {
    return withElements(normal, [&](double* data, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
            const auto nearest = std::min_element(kFewFloats.begin(), kFewFloats.end(), [&](double x, double y) {
                return std::abs(data[i] - x * size) < std::abs(data[i] - y * size);
            });
            data[i] = *nearest * size;
        }
    });
}

RunInputs mapped(const RunInputs& inputs, const std::function<Value(const Value&)>& map) {
    RunInputs out;
    for (const Value& value : inputs.positional) out.positional.push_back(map(value));
    for (const auto& [name, value] : inputs.named) out.named.emplace_back(name, map(value));
    return out;
}

/// A list of tensors, as a model takes a number of them.
const Items* tensorList(const Value& value) {
    const Items* items = value.items();
    const bool isList = items && items->kind == Items::Kind::List && !items->items.empty();
    return isList && items->items.back().isTensor() ? items : nullptr;
}

std::string otherText(const std::string& text, std::size_t index) {
    switch (index % 4) {
    case 0: return text;
    case 1: return text + "x";
    case 2: return text.empty() ? "ab" : text.substr(0, text.size() / 2);
    default: return "xyz";
    }
}

Value otherNumber(std::int64_t number, std::size_t index) {
    constexpr std::array<std::int64_t, 4> kMore = {0, 1, -1, 2};
    const std::size_t kind = index % 6;
    return kind < kMore.size() ? number + kMore[kind] : kind == 4 ? -number : std::min(2 * number + 1, kMostWhole);
}

/// Another value of the kind of a number, flag or text; the same for the same index.
Value otherDefault(const Value& value, std::size_t index) {
    if (const bool* flag = value.as<bool>()) return !*flag;
    if (const auto* number = value.as<std::int64_t>()) return otherNumber(*number, index + 1);
    if (const auto* real = value.as<double>())
        return index % 3 == 0 ? 1.5 * *real + 0.1 : index % 3 == 1 ? -*real : *real + 1;
    return value.text() ? Value(otherText(*value.text(), index + 1)) : value;
}

} // namespace

DefaultInputs defaultsOf(const GraphModule& a, const GraphModule& b, const RunInputs& givenToA) {
    std::set<std::string> used;
    for (const GraphModule* model : {&a, &b})
        for (const Node& node : model->graph.nodes())
            if (isUserInput(*model, node) && !node.users().empty()) used.insert(node.target());
    for (const auto& [name, value] : namedInputs(a, givenToA))
        if (value) used.erase(name);
    DefaultInputs out;
    for (const Node& node : a.graph.nodes()) {
        if (!isUserInput(a, node) || node.args().empty() || !used.contains(node.target())) continue;
        const Argument& value = node.args()[0];
        if (value.isNone() || value.as<bool>() || value.as<std::int64_t>() || value.as<double>() ||
            value.as<std::string>())
            out.emplace_back(node.target(), toValue(value, [](NodeId) { return Value(); }));
    }
    return out;
}

InputSource::InputSource(const RunInputs& given, DefaultInputs defaults, std::uint64_t seed)
    : m_given(copyOf(given)), m_defaults(std::move(defaults)), m_random(seed) {
    const auto none = std::stable_partition(m_defaults.begin(), m_defaults.end(),
                                            [](const auto& each) { return !each.second.isNone(); });
    m_given.named.insert(m_given.named.end(), none, m_defaults.end());
    m_defaults.erase(none, m_defaults.end());
    for (const Value& value : valuesOf(m_given))
        forEachTensor(value, [&](const at::Tensor& tensor) {
            m_hasIntegers = m_hasIntegers || (isIntegers(tensor) && tensor.numel() > 0);
            if (isFloatTensor(tensor) && !m_hasFloats) m_hasFloats = true, m_tensor = tensor;
        });
}

at::Tensor InputSource::integers(const at::Tensor& tensor, Whole whole) {
    const std::vector<double> elements = elementsOf(tensor);
    const auto [least, most] = std::minmax_element(elements.begin(), elements.end());
    const bool isByte = tensor.scalar_type() == at::kByte, isTiny = isByte || tensor.scalar_type() == at::kChar;
    std::int64_t low = static_cast<std::int64_t>(*least), high = static_cast<std::int64_t>(*most);
    switch (whole) {
    case Whole::Given: low = std::min<std::int64_t>(low, 0); break;
    case Whole::Wider:
        if (isTiny) low = isByte ? 0 : -128, high = isByte ? 255 : 127;
        else high = std::max(high, std::min(2 * high + 3, kMostWhole));
        break;
    default: low = isByte ? 0 : -kSmallWhole, high = kSmallWhole;
    }
    const auto span = static_cast<std::uint64_t>(high - low) + 1;
    return wholeNumbers(tensor, [&](std::int64_t) {
        const auto drawn = low + static_cast<std::int64_t>(m_random() % std::max<std::uint64_t>(span, 1));
        return drawn == 0 && whole == Whole::NotZero ? kSmallWhole / 2 : drawn;
    });
}

at::Tensor InputSource::floats(const at::Tensor& tensor, std::size_t index, double scale) {
    const std::size_t kind = index % kFloatKinds;
    if (kind == kReordered) return drawnLike(elementsOf(tensor), tensor.sizes().vec(), tensor.scalar_type(), m_random);
    const double size = sizeOf(tensor);
    if (kind == kOneSign) return rowsOfOneSign(tensor, size * scale, m_random);
    // Of a negative element alone `drawnLike` makes normal ones of its size and either sign.
    const at::Tensor normal = drawnLike({-size * scale}, tensor.sizes().vec(), tensor.scalar_type(), m_random);
    return kind == kRepeated ? roundedToFew(normal, size * scale) : normal;
}

at::Tensor InputSource::flags(const at::Tensor& tensor, std::size_t index) {
    const std::int64_t width = tensor.dim() > 0 ? std::max<std::int64_t>(tensor.size(-1), 1) : 1;
    const auto isRowOn = [&](std::int64_t row) { return (static_cast<std::uint64_t>(row) + index / kFlagKinds) % 2; };
    return wholeNumbers(tensor, [&](std::int64_t place) -> std::int64_t {
        switch (index % kFlagKinds) {
        case 0: return 1;
        case 1: return 0;
        case 2: return static_cast<std::int64_t>(m_random() % 2);
        default: return static_cast<std::int64_t>(isRowOn(place / width));
        }
    });
}

at::Tensor InputSource::otherTensor(const at::Tensor& tensor, std::size_t index, Whole whole, double scale) {
    if (tensor.layout() != at::kStrided || tensor.numel() == 0) return tensor.clone();
    if (tensor.scalar_type() == at::kBool) return flags(tensor, index);
    if (isIntegers(tensor)) return integers(tensor, whole);
    return isFloatTensor(tensor) && !tensor.is_complex() ? floats(tensor, index, scale) : tensor.clone();
}

Value InputSource::other(const Value& value, std::size_t index, Whole whole, double scale) {
    if (value.isNone() && index % 2 != 0 && !m_tensor.isNone()) return other(m_tensor, index, whole, scale);
    if (const bool* flag = value.as<bool>()) return index % 2 != 0 ? !*flag : *flag;
    if (const auto* number = value.as<std::int64_t>()) return otherNumber(*number, index);
    if (const auto* real = value.as<double>()) return index % 2 != 0 ? *real * scale : -*real;
    if (const std::string* text = value.text()) return otherText(*text, index);
    return mapTensors(value, [&](const at::Tensor& tensor) { return otherTensor(tensor, index, whole, scale); });
}

/// One of the defaults is another, of which the other inputs may be told.
void InputSource::varyDefault(std::size_t index, FurtherInputs& out) const {
    if (m_defaults.empty() || index % kDefaultKinds != kOtherDefault) return;
    const std::size_t turn = index / kDefaultKinds;
    const auto& [name, value] = m_defaults[turn % m_defaults.size()];
    out.inputs.named.emplace_back(name, otherDefault(value, turn / m_defaults.size()));
    out.what += " and another value of " + name;
}

FurtherInputs InputSource::values(std::size_t index) {
    FurtherInputs out;
    out.repeats = m_hasFloats && index % kFloatKinds == kRepeated;
    const double scale = out.repeats ? 1 : kInputScales[index % kInputScales.size()];
    m_last = m_wholes[index % m_wholes.size()];
    out.inputs = mapped(m_given, [&](const Value& value) { return other(value, index, m_last, scale); });
    out.scale = scale, out.otherValues = m_hasIntegers && m_last != Whole::Given;
    std::array<char, 32> times{};
    if (scale != 1) std::snprintf(times.data(), times.size(), " ×%.4g", scale);
    out.what = m_hasFloats ? std::string("random inputs") + times.data() : "other inputs";
    if (out.repeats) out.what = "floats that repeat";
    if (out.otherValues) out.what += m_last == Whole::Wider ? " and larger integers" : " and integers from -9 to 9";
    varyDefault(index, out);
    return out;
}

void InputSource::refused(const FurtherInputs& inputs) {
    if (inputs.otherValues) std::erase(m_wholes, m_last);
}

Value InputSource::ofBatch(const Value& value, std::int64_t from, std::int64_t to) {
    return mapTensors(value, [&](const at::Tensor& tensor) {
        if (tensor.dim() == 0 || tensor.size(0) != from || tensor.layout() != at::kStrided) return tensor.clone();
        const at::Tensor rows = tensor.new_zeros({to}).to(at::kLong);
        const at::Tensor more =
            tensor.index_select(0, wholeNumbers(rows, [&](std::int64_t place) { return place % from; }));
        return isFloatTensor(tensor) && !tensor.is_complex()
                   ? drawnLike({-sizeOf(tensor)}, more.sizes().vec(), tensor.scalar_type(), m_random)
                   : more;
    });
}

std::vector<FurtherInputs> InputSource::sizes(const FixedSizes& fixed) {
    std::vector<FurtherInputs> out;
    const Shapes shapes = this->shapes();
    const auto first = std::find_if(shapes.begin(), shapes.end(), [](const auto& sizes) { return !sizes.empty(); });
    const std::int64_t batch = first == shapes.end() ? 0 : first->front();
    const bool isOpen = batch > 0 && batch <= kLargestBatch && !fixed[first - shapes.begin()][0];
    std::set<std::int64_t> batches(kBatches.begin(), kBatches.end());
    batches.insert(batch + 1);
    batches.erase(batch);
    for (const std::int64_t other : isOpen ? batches : std::set<std::int64_t>())
        out.push_back({mapped(m_given, [&](const Value& value) { return ofBatch(value, batch, other); }),
                       "a batch of " + std::to_string(other), 1, true});
    const std::vector<Value> all = valuesOf(m_given);
    if (std::none_of(all.begin(), all.end(), [](const Value& value) { return tensorList(value) != nullptr; }))
        return out;
    for (const bool longer : {true, false})
        out.push_back({mapped(m_given,
                              [&](const Value& value) -> Value {
                                  const Items* items = tensorList(value);
                                  if (!items || (!longer && items->items.size() < 2)) return value;
                                  Values list = items->items;
                                  if (longer) list.push_back(other(list.back(), 1, Whole::Given, 1));
                                  else list.pop_back();
                                  return Value::list(std::move(list));
                              }),
                       longer ? "a longer list" : "a shorter list", 1, true});
    return out;
}

std::vector<FurtherInputs> InputSource::directed() {
    std::vector<FurtherInputs> out;
    const auto add = [&](const char* what, auto change) {
        FurtherInputs next;
        next.inputs = mapInputs(m_given, [&](const at::Tensor& tensor) {
            const bool isReal = isFloatTensor(tensor) && !tensor.is_complex() && tensor.numel() > 0;
            return isReal ? change(tensor, sizeOf(tensor)) : tensor.clone();
        });
        next.what = what;
        out.push_back(std::move(next));
    };
    for (std::size_t turn = 0; m_hasFloats && turn < kSpikes; ++turn) {
        add("one large element in each row", [&](const at::Tensor& tensor, double size) {
            const at::Tensor normal = drawnLike({-size}, tensor.sizes().vec(), tensor.scalar_type(), m_random);
            return withSpikes(normal, kSpike * size, turn);
        });
        out.back().scale = kSpike;
    }
    if (m_hasFloats) {
        add("rows of one sign",
            [&](const at::Tensor& tensor, double size) { return rowsOfOneSign(tensor, kLargeRows * size, m_random); });
        out.back().scale = kLargeRows;
    }
    if (hasAlike(valuesOf(m_given)))
        for (const bool some : {false, true}) {
            FurtherInputs next;
            next.inputs = altered(m_given, equalised(0, some, m_random));
            next.what = some ? "inputs that are equal in some elements" : "inputs that are all the same";
            out.push_back(std::move(next));
        }
    return out;
}

FurtherInputs InputSource::ofSizes(const Shapes& shapes) {
    return {altered(m_given, reshaped(shapes, m_random)), textOf(shapes, this->shapes()), 1, true};
}

std::vector<FurtherInputs> InputSource::integersFrom(const std::vector<std::int64_t>& numbers,
                                                     const std::vector<SizeGroup>& groups) {
    std::vector<FurtherInputs> out;
    const Values given = valuesOf(m_given);
    std::int64_t places = 0;
    for (const Value& value : given)
        if (hasIntegers(value)) places = std::max(places, elementCount({value}));
    const Shapes shapes = this->shapes();
    const auto sizeOf = [&](const SizeGroup& group) { return shapes[group.axes[0].first][group.axes[0].second]; };
    const auto longest = std::max_element(groups.begin(), groups.end(),
                                          [&](const auto& x, const auto& y) { return sizeOf(x) < sizeOf(y); });
    const auto wanted = static_cast<std::int64_t>(numbers.size());
    if (places > 0 && wanted > places && longest != groups.end()) {
        const std::int64_t size = sizeOf(*longest) * ((wanted + places - 1) / places);
        const RunInputs longer =
            altered(m_given, reshaped(withSize(shapes, *longest, std::min(kLargestExtent, size)), m_random));
        out.push_back({altered(longer, renumbered(numbers)), "integers that read other elements", 1, true, true, true});
    }
    out.push_back({altered(m_given, renumbered(numbers)), "integers that read other elements", 1, false, true, true});
    return out;
}

std::vector<FurtherInputs> InputSource::withInteger(std::int64_t number) const {
    if (!m_hasIntegers) return {};
    FurtherInputs out{altered(m_given, renumbered({number}, 2)), "inputs with the integer " + std::to_string(number)};
    out.isNamed = true;
    return {out};
}

std::vector<FurtherInputs> InputSource::lengths(const std::vector<SizeGroup>& groups,
                                                const std::vector<std::int64_t>& numbers) {
    std::vector<FurtherInputs> out;
    const Shapes shapes = this->shapes();
    std::set<Shapes> seen = {shapes};
    for (const SizeGroup& group : groups)
        for (const std::int64_t number : numbers)
            for (const std::int64_t length : {number, number + 2}) {
                const Shapes longer = withSize(shapes, group, length);
                const bool isLonger = length > shapes[group.axes[0].first][group.axes[0].second];
                const bool isSmall = elementsIn(longer) <= std::max(kMostElements, 2 * elementsIn(shapes));
                if (!isLonger || !isSmall || out.size() == kMostLengths || !seen.insert(longer).second) continue;
                out.push_back(ofSizes(longer));
                out.back().mayRefuse = true;
            }
    return out;
}

} // namespace fx::engine
