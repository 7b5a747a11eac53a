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

/// A pattern of torch.ao in its reversed nested form. `(ReLU, (BatchNorm2d, Conv2d))` has a head that matches the last
/// node, and argument patterns that match that node's arguments.
struct Pattern {
    enum class Kind : std::uint8_t { Module, Function, Method, Any };
    Kind kind = Kind::Any;
    std::string name;               ///< class path, qualified name of the function, or method
    std::vector<Pattern> arguments; ///< empty: matches any arguments

    std::size_t size() const; ///< number of heads in the whole pattern
    std::string text() const; ///< "(ReLU, (BatchNorm2d, Conv2d))", for messages
};

/// A dtype and the backend's constraints on its observer. Mirrors torch.ao's DTypeWithConstraints.
struct DTypeConstraint {
    std::string dtype;                              ///< empty: any
    std::optional<std::int64_t> quantMin, quantMax; ///< unset: any
    std::optional<double> scaleMin, scaleExact;     ///< smallest scale, exact scale; unset: any
    std::optional<std::int64_t> zeroPointExact;     ///< unset: any
};

/// A combination of dtypes for which a backend has kernels. Mirrors torch.ao's DTypeConfig.
struct DTypeConfig {
    DTypeConstraint input, output, weight;
    std::string bias;       ///< empty: any
    bool isDynamic = false; ///< torch.ao's None is false
};

/// The way an operator's output is observed. Mirrors torch.ao's ObservationType.
enum class Observation : std::uint8_t {
    OwnOutput,   ///< OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT
    ShareInput,  ///< OUTPUT_SHARE_OBSERVER_WITH_INPUT
    NotObserved, ///< INPUT_OUTPUT_NOT_OBSERVED
};

/// The module that a fusion creates from the matched nodes.
struct FusedForm {
    /// A part of the fused module: a matched module by its path in the pattern (`1.0`), or a batch normalisation
    /// folded into a layer.
    struct Part {
        std::string name;         ///< child or attribute name; empty for the layer itself
        std::string layer, norm;  ///< paths in the pattern; `norm` is empty if nothing is folded
        bool isAttribute = false; ///< a plain attribute of the module, such as a function
    };
    std::string type;        ///< class path of the fused module; empty: the result is the only part
    std::vector<Part> parts; ///< empty: torch.ao raises; Lancet reports `refusal`
    std::string refusal;     ///< reason why torch.ao refuses the fusion
};

/// A pattern of a backend and its settings. Mirrors torch.ao's BackendPatternConfig.
struct PatternConfig {
    Pattern pattern;
    Observation observation = Observation::OwnOutput; ///< used if `observationByTensors` is empty
    /// Keyed by the number of tensor arguments.
    std::vector<std::pair<std::int64_t, Observation>> observationByTensors;
    std::vector<DTypeConfig> dtypes;                                 ///< supported combinations
    std::string rootModule, qatModule, referenceModule, fusedModule; ///< class paths
    bool isFusion = false;                                           ///< a pattern that `fuse` replaces by one module
    FusedForm fused, fusedForQat;                                    ///< results in eval mode and in QAT
    std::optional<std::int64_t> weightIndex, biasIndex;              ///< argument indices of a function
    std::string root;                     ///< path of the root node in the pattern; empty: the last head
    std::vector<std::string> extraInputs; ///< paths of additional inputs of the fused module

    /// Returns how a matching node with `tensors` tensor arguments is observed; nullopt where torch.ao asserts.
    std::optional<Observation> observationFor(std::int64_t tensors) const;
};

/// The patterns and dtypes that a backend can quantise. Mirrors torch.ao's BackendConfig; `prepare_fx` and
/// `convert_fx` use `native` by default.
class BackendConfig {
public:
    /// Returns "native", "x86", "onednn", "fbgemm", "qnnpack", "executorch" or "tensorrt", read on first use; null for
    /// other names. The object lives until the program ends.
    static const BackendConfig* find(std::string_view name);
    /// Returns all names that `find` accepts.
    static std::vector<std::string_view> names();

    /// The name passed to `find`.
    const std::string& name() const { return m_name; }
    const std::vector<PatternConfig>& patterns() const { return m_patterns; } ///< in torch.ao's order
    /// Returns the indices in `patterns()` of the patterns with the head `key` (see `headKey`), longest first: the
    /// order in which torch.ao tries them.
    const std::vector<std::uint32_t>& candidates(std::string_view key) const;
    /// As `candidates`, restricted to fusions.
    const std::vector<std::uint32_t>& fusions(std::string_view key) const;
    /// Returns the pattern that consists of this head alone, or null.
    const PatternConfig* single(std::string_view key) const;
    /// Returns the lookup key of a head.
    static std::string headKey(Pattern::Kind kind, std::string_view name);

    std::string_view referenceOf(std::string_view rootModule) const; ///< class path of the reference module, or empty
    std::string_view qatOf(std::string_view floatModule) const;      ///< class path of the QAT module, or empty
    /// True for the class path of a QAT module.
    bool isQatModule(std::string_view type) const;
    /// True for the class path of a fused module.
    bool isFusedModule(std::string_view type) const;
    /// True for the class path of a layer that has a reference module.
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
