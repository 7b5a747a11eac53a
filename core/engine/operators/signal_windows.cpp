// SPDX-License-Identifier: GPL-3.0-or-later
// Window functions in terms of operators, in the order and precision of PyTorch's Python source, so that each bit is
// the same. A window of M points that is not symmetric is one of M + 1 points without the last.
#include "core/engine/operators/signal_windows.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fx::engine {
namespace {

/// What all windows take: points, symmetry, and how their tensors are made.
class Window {
public:
    Window(const char* name, Arguments& a) {
        const Value* points = a.at(0, "M");
        const Value* symmetric = a.find("sym");
        m_points = points ? points->integer().value_or(0) : 0;
        m_symmetric = !symmetric || truthOf(*symmetric);
        const Value* dtype = a.find("dtype");
        m_made.emplace_back("dtype", dtype && !dtype->isNone() ? *dtype : Value(at::kFloat));
        for (const char* key : {"layout", "device", "requires_grad"})
            if (const Value* value = a.find(key); value && !value->isNone()) m_made.emplace_back(key, *value);
        const auto* type = m_made.front().second.as<at::ScalarType>();
        if (!points || m_points < 0)
            throw raised(std::string("ValueError: ") + name +
                         " requires non-negative window length, got M=" + std::to_string(m_points));
        if (!type || (*type != at::kFloat && *type != at::kDouble))
            throw raised(std::string("ValueError: ") + name + " expects float32 or float64 dtypes");
    }

    std::int64_t points() const { return m_points; }
    bool isSymmetric() const { return m_symmetric; }
    /// M, or one less for a symmetric window: what cosines divide by.
    double period() const { return static_cast<double>(m_symmetric ? m_points - 1 : m_points); }
    /// The same with the only point of a window as an exception: what centres are computed from.
    double last() const { return static_cast<double>(!m_symmetric && m_points > 1 ? m_points : m_points - 1); }
    const Value& dtype() const { return m_made.front().second; }

    Value line(const Value& start, const Value& end) const {
        return callFunction("torch.linspace", Arguments{{start, end, Value(m_points)}, m_made});
    }
    /// From `start`, in steps of 1, all times `factor`.
    Value steps(double start, double factor) const {
        return line(Value(start * factor), Value((start + static_cast<double>(m_points - 1)) * factor));
    }
    /// A window of no point, or of the only point 1.
    Value trivial() const {
        return callFunction(m_points == 0 ? "torch.empty" : "torch.ones", Arguments{{Value::size({m_points})}, m_made});
    }

private:
    std::int64_t m_points = 0;
    bool m_symmetric = true;
    std::vector<std::pair<std::string, Value>> m_made;
};

double givenNumber(Arguments& a, const char* name, double otherwise) {
    const Value* value = a.find(name);
    return value && !value->isNone() ? value->real().value_or(otherwise) : otherwise;
}

Value cosines(const Window& window, const std::vector<double>& weights) {
    if (window.points() <= 1) return window.trivial();
    const Value k = window.steps(0, 2 * M_PI / window.period());
    Values signedWeights;
    for (std::size_t i = 0; i < weights.size(); ++i) signedWeights.emplace_back(i % 2 ? -weights[i] : weights[i]);
    const auto column = [](const Value& row) { return callMethod("unsqueeze", {row, Value(std::int64_t{-1})}); };
    const Value a = callFunction("torch.tensor", Arguments{{Value::list(signedWeights)}, {{"dtype", window.dtype()}}});
    const Value i = callFunction(
        "torch.arange", Arguments{{Value(static_cast<std::int64_t>(weights.size()))}, {{"dtype", window.dtype()}}});
    const Value waves = callFunction("torch.cos", {binaryOf("mul", column(i), k)});
    return callMethod("sum", {binaryOf("mul", column(a), waves), Value(std::int64_t{0})});
}

Value generalCosine(Arguments& a) {
    const Window window("general_cosine", a);
    const Value* weights = a.find("a");
    std::vector<double> numbers;
    if (weights)
        for (const Value& weight : iterate(*weights)) numbers.push_back(weight.real().value_or(0));
    if (numbers.empty()) throw raised("ValueError: Coefficients cannot be empty");
    return cosines(window, numbers);
}

Value generalHamming(Arguments& a) {
    const double alpha = givenNumber(a, "alpha", 0.54);
    return cosines(Window("general_cosine", a), {alpha, 1.0 - alpha});
}

Value hann(Arguments& a) { return cosines(Window("general_cosine", a), {0.5, 0.5}); }
Value blackman(Arguments& a) { return cosines(Window("blackman", a), {0.42, 0.5, 0.08}); }
Value nuttall(Arguments& a) {
    return cosines(Window("general_cosine", a), {0.3635819, 0.4891775, 0.1365995, 0.0106411});
}

Value exponential(Arguments& a) {
    const Window window("exponential", a);
    const double tau = givenNumber(a, "tau", 1.0);
    if (tau <= 0) throw raised("ValueError: Tau must be positive, got: " + std::to_string(tau) + " instead.");
    const Value* center = a.find("center");
    const bool centered = center && !center->isNone();
    if (centered && window.isSymmetric()) throw raised("ValueError: Center must be None for symmetric windows");
    if (window.points() == 0) return window.trivial();
    const Value k = window.steps(-(centered ? center->real().value_or(0) : window.last() / 2.0), 1 / tau);
    return callFunction("torch.exp", {unaryOf("neg", callFunction("torch.abs", {k}))});
}

Value cosine(Arguments& a) {
    const Window window("cosine", a);
    if (window.points() == 0) return window.trivial();
    return callFunction("torch.sin", {window.steps(0.5, M_PI / (window.last() + 1))});
}

Value gaussian(Arguments& a) {
    const Window window("gaussian", a);
    const double deviation = givenNumber(a, "std", 1.0);
    if (deviation <= 0)
        throw raised("ValueError: Standard deviation must be positive, got: " + std::to_string(deviation) +
                     " instead.");
    if (window.points() == 0) return window.trivial();
    const Value k = window.steps(-window.last() / 2.0, 1 / (deviation * std::sqrt(2.0)));
    return callFunction("torch.exp", {unaryOf("neg", binaryOf("pow", k, Value(std::int64_t{2})))});
}

Value kaiser(Arguments& a) {
    const Window window("kaiser", a);
    const double given = givenNumber(a, "beta", 12.0);
    if (given < 0) throw raised("ValueError: beta must be non-negative, got: " + std::to_string(given) + " instead.");
    if (window.points() <= 1) return window.trivial();
    const Value beta = callFunction("torch.tensor", Arguments{{Value(given)}, {{"dtype", window.dtype()}}});
    const Value start = unaryOf("neg", beta);
    const Value step =
        binaryOf("truediv", binaryOf("mul", Value(2.0), beta), Value(static_cast<std::int64_t>(window.period())));
    const Value end = callFunction("torch.minimum",
                                   {beta, binaryOf("add", start, binaryOf("mul", Value(window.points() - 1), step))});
    const Value k = window.line(start, end);
    const Value square = binaryOf("sub", binaryOf("mul", beta, beta), binaryOf("pow", k, Value(std::int64_t{2})));
    return binaryOf("truediv", callFunction("torch.i0", {callFunction("torch.sqrt", {square})}),
                    callFunction("torch.i0", {beta}));
}

Value bartlett(Arguments& a) {
    const Window window("bartlett", a);
    if (window.points() <= 1) return window.trivial();
    const double step = 2 / window.period();
    const Value k = window.line(Value(std::int64_t{-1}), Value(-1 + static_cast<double>(window.points() - 1) * step));
    return binaryOf("sub", Value(std::int64_t{1}), callFunction("torch.abs", {k}));
}

} // namespace

CallForm signalWindow(std::string_view qualifiedName) {
    static const std::map<std::string_view, CallForm> kWindows = {{"bartlett", bartlett},
                                                                  {"blackman", blackman},
                                                                  {"cosine", cosine},
                                                                  {"exponential", exponential},
                                                                  {"gaussian", gaussian},
                                                                  {"general_cosine", generalCosine},
                                                                  {"hamming", generalHamming},
                                                                  {"general_hamming", generalHamming},
                                                                  {"hann", hann},
                                                                  {"kaiser", kaiser},
                                                                  {"nuttall", nuttall}};
    for (const std::string_view module : {"torch.signal.windows.windows.", "torch.signal.windows."})
        if (qualifiedName.starts_with(module)) {
            const auto found = kWindows.find(qualifiedName.substr(module.size()));
            return found == kWindows.end() ? nullptr : found->second;
        }
    return nullptr;
}

} // namespace fx::engine
