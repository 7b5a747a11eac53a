// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fx::quant {

/// A pattern of torch.ao in its reversed nested form: `(ReLU, (BatchNorm2d, Conv2d))` is a head that matches the last
/// node, and patterns of that node's arguments.
struct Pattern {
    enum class Kind : std::uint8_t { Module, Function, Method, Any };
    Kind kind = Kind::Any;
    std::string name;               ///< class path, qualified name of the function, or method
    std::vector<Pattern> arguments; ///< empty: the arguments do not matter

    std::size_t size() const; ///< heads in it
    std::string text() const; ///< "(ReLU, (BatchNorm2d, Conv2d))": for people
};

/// A dtype with what a backend demands of its observer. Mirrors torch.ao's DTypeWithConstraints.
struct DTypeConstraint {
    std::string dtype; ///< empty: any
    std::optional<std::int64_t> quantMin, quantMax;
    std::optional<double> scaleMin, scaleExact;
    std::optional<std::int64_t> zeroPointExact;
};

/// A combination of dtypes that a backend has kernels for. Mirrors torch.ao's DTypeConfig.
struct DTypeConfig {
    DTypeConstraint input, output, weight;
    std::string bias;       ///< empty: any
    bool isDynamic = false; ///< torch.ao's None is false
};

/// What becomes of observers at an operator. Mirrors torch.ao's ObservationType.
enum class Observation : std::uint8_t {
    OwnOutput,   ///< OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT
    ShareInput,  ///< OUTPUT_SHARE_OBSERVER_WITH_INPUT
    NotObserved, ///< INPUT_OUTPUT_NOT_OBSERVED
};

/// The module that a fusion makes of the matched parts.
struct FusedForm {
    /// A part of the result: a matched module by its path in the pattern (`1.0`), or a batch normalisation folded into
    /// a layer.
    struct Part {
        std::string name;         ///< of the child or attribute; empty for the layer itself
        std::string layer, norm;  ///< paths in the pattern; `norm` is empty if nothing is folded
        bool isAttribute = false; ///< a plain attribute of the module, such as a function
    };
    std::string type;        ///< of the module; empty: the one part is the result
    std::vector<Part> parts; ///< empty: torch.ao refuses, with `refusal`
    std::string refusal;
};

/// One entry of a backend: a pattern and what to do with it. Mirrors torch.ao's BackendPatternConfig.
struct PatternConfig {
    Pattern pattern;
    Observation observation = Observation::OwnOutput;
    std::vector<std::pair<std::int64_t, Observation>> observationByTensors; ///< by the number of tensor arguments
    std::vector<DTypeConfig> dtypes;
    std::string rootModule, qatModule, referenceModule, fusedModule; ///< class paths
    bool isFusion = false;
    FusedForm fused, fusedForQat;
    std::optional<std::int64_t> weightIndex, biasIndex; ///< of a function's arguments
    std::string root;                                   ///< path of the root in the pattern; empty: its last head
    std::vector<std::string> extraInputs;               ///< paths of further inputs of the fused module

    /// How a node that matches is observed, given the number of its tensor arguments; nothing if torch.ao asserts.
    std::optional<Observation> observationFor(std::int64_t tensors) const;
};

/// What a backend can quantise, as data. Mirrors torch.ao's BackendConfig; `native` is what prepare_fx and convert_fx
/// use unless told otherwise.
class BackendConfig {
public:
    /// "native", "x86", "onednn", "fbgemm", "qnnpack", "executorch", "tensorrt"; read once. Null for others.
    static const BackendConfig* find(std::string_view name);
    static std::vector<std::string_view> names();

    const std::string& name() const { return m_name; }
    const std::vector<PatternConfig>& patterns() const { return m_patterns; } ///< in torch.ao's order
    /// Numbers of the patterns whose head is this, longest first, as torch.ao tries them. `key` is headKey's.
    const std::vector<std::uint32_t>& candidates(std::string_view key) const;
    /// The same of fusions only.
    const std::vector<std::uint32_t>& fusions(std::string_view key) const;
    /// The pattern that is just this head, or null.
    const PatternConfig* single(std::string_view key) const;
    static std::string headKey(Pattern::Kind kind, std::string_view name);

    std::string_view referenceOf(std::string_view rootModule) const; ///< class path, or empty
    std::string_view qatOf(std::string_view floatModule) const;      ///< class path, or empty
    bool isQatModule(std::string_view type) const;
    bool isFusedModule(std::string_view type) const;
    bool isRootModule(std::string_view type) const { return !referenceOf(type).empty(); }

private:
    void index();

    std::string m_name;
    std::vector<PatternConfig> m_patterns;
    std::unordered_map<std::string, std::vector<std::uint32_t>> m_candidates, m_fusions;
    std::unordered_map<std::string, std::uint32_t> m_single;
    std::unordered_map<std::string, std::string> m_references, m_qat;
    std::unordered_map<std::string, bool> m_qatModules, m_fusedModules;
    friend class BackendReader;
};

} // namespace fx::quant
