// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/pattern_library.h"

#include "core/module/call_semantics.h"
#include "core/ops/catalogue.h"

#include <algorithm>
#include <cmath>

namespace fx {
namespace {

using Patterns = std::vector<LibraryPattern>;

/// Text with `{name}` replaced.
std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
    for (const auto& [name, value] : values)
        for (auto at = text.find("{" + name + "}"); at != text.npos;
             at = text.find("{" + name + "}", at + value.size()))
            text.replace(at, name.size() + 2, value);
    return text;
}

std::string function(const std::string& name, const std::string& inputs, const std::string& body) {
    return "def " + name + "(" + inputs + "):\n    " + body + "\n";
}

// ── attention ────────────────────────────────────────────────────────────────────────────────────────────────────────

/// softmax(q @ kᵀ · scale + mask) @ v. What stands for kᵀ is transposed again, which cancels out where it is a
/// transposition.
void addAttention(Patterns& out) {
    struct Scale {
        const char *scores, *value;
    };
    for (const bool masked : {true, false})
        for (const Scale& scale : {Scale{"torch.div(scores, s)", "1.0 / s"}, Scale{"torch.mul(scores, s)", "s * 1.0"},
                                   Scale{"scores", "1.0"}}) {
            const bool isScaled = std::string(scale.scores) != "scores";
            const std::string inputs = std::string("q, kt, v") + (isScaled ? ", s" : "") + (masked ? ", mask" : "");
            const std::string mask = masked ? "mask" : "None";
            LibraryPattern pattern{"scaled_dot_product_attention", {}, {}, {}, {}, {}, {}, {}};
            pattern.source = function(
                "pattern", inputs,
                filled("scores = torch.matmul(q, kt)\n    scores = {scale}\n    {mask}weights = torch.softmax(scores, "
                       "-1)\n    return torch.matmul(weights, v)",
                       {{"scale", scale.scores}, {"mask", masked ? "scores = torch.add(scores, mask)\n    " : ""}}));
            pattern.replacement =
                function("replacement", inputs,
                         "return F.scaled_dot_product_attention(q, kt.transpose(-2, -1), v, attn_mask=" + mask +
                             ", scale=" + scale.value + ")");
            pattern.aten = function("replacement", inputs,
                                    "return torch.ops.aten.scaled_dot_product_attention.default(q, "
                                    "torch.ops.aten.transpose.int(kt, -2, -1), v, " +
                                        mask + ", 0.0, False, scale=" + scale.value + ")");
            pattern.checks = {{"softmax", 1, "dim", -1}};
            if (isScaled) pattern.constants = {{"s", 0, true}};
            if (masked) pattern.floats = "mask";
            out.push_back(std::move(pattern));
        }
}

// ── normalisation ────────────────────────────────────────────────────────────────────────────────────────────────────

constexpr const char* kShape = "w.shape";

void addNorm(Patterns& out, const std::string& name, const std::string& body, const std::string& call, bool affine,
             std::vector<LibraryPattern::Check> checks) {
    const bool hasBias = affine && name == "layer_norm";
    const bool hasPower = body.find("two") != body.npos;
    const std::string inputs =
        std::string("x, eps") + (affine ? ", w" : "") + (hasBias ? ", b" : "") + (hasPower ? ", two" : "");
    LibraryPattern pattern{name, {}, {}, {}, std::move(checks), {{"eps", 0, true}}, {}, {}};
    if (hasPower) pattern.constants.push_back({"two", 2});
    std::string result = affine ? "torch.mul(y, w)" : "y";
    if (hasBias) result = "torch.add(" + result + ", b)";
    pattern.source = function("pattern", inputs, body + "return " + result);
    const auto called = [&](const std::string& target) {
        const std::string shape = affine ? kShape : "x.shape[-1:]", weight = affine ? ", w" : ", None",
                          bias = name != "layer_norm" ? ""
                                 : affine             ? ", b"
                                                      : ", None";
        return function("replacement", inputs, "return " + target + "(x, " + shape + weight + bias + ", eps)");
    };
    pattern.replacement = called("F." + call);
    pattern.aten = called("torch.ops.aten." + call + ".default");
    if (affine) pattern.vectors.emplace_back("w");
    if (hasBias) pattern.vectors.emplace_back("b");
    out.push_back(std::move(pattern));
}

void addNorms(Patterns& out) {
    const std::vector<std::string> divided = {"torch.div({d}, torch.sqrt(torch.add(v, eps)))",
                                              "torch.mul({d}, torch.rsqrt(torch.add(v, eps)))"};
    const std::vector<LibraryPattern::Check> mean = {{"mean", 1, "dim", -1}, {"mean", 2, "keepdim", 1}};
    const std::vector<LibraryPattern::Check> means = {
        mean[0], mean[1], {"mean_1", 1, "dim", -1}, {"mean_1", 2, "keepdim", 1}};
    const std::vector<LibraryPattern::Check> variance = {
        mean[0], mean[1], {"var", 1, "dim", -1}, {"var", 3, "keepdim", 1}, {"var", 2, "unbiased", 0}};
    for (const bool affine : {true, false})
        for (const std::string& division : divided) {
            for (const char* square : {"torch.pow(d, two)", "torch.mul(d, d)", "torch.square(d)"})
                addNorm(out, "layer_norm",
                        "d = torch.sub(x, torch.mean(x))\n    v = torch.mean(" + std::string(square) +
                            ")\n    y = " + filled(division, {{"d", "d"}}) + "\n    ",
                        "layer_norm", affine, means);
            addNorm(out, "layer_norm",
                    "d = torch.sub(x, torch.mean(x))\n    v = torch.var(x)\n    y = " + filled(division, {{"d", "d"}}) +
                        "\n    ",
                    "layer_norm", affine, variance);
            for (const char* square : {"torch.pow(x, two)", "torch.mul(x, x)", "torch.square(x)"})
                addNorm(out, "rms_norm",
                        "v = torch.mean(" + std::string(square) + ")\n    y = " + filled(division, {{"d", "x"}}) +
                            "\n    ",
                        "rms_norm", affine, mean);
        }
}

// ── activations ──────────────────────────────────────────────────────────────────────────────────────────────────────

void addActivation(Patterns& out, const std::string& name, const std::string& constants, const std::string& expression,
                   const std::string& arguments, std::vector<LibraryPattern::Constant> values) {
    const std::string inputs = "x" + constants;
    out.push_back({name,
                   function("pattern", inputs, "return " + expression),
                   function("replacement", inputs, "return F." + name + "(x" + arguments + ")"),
                   function("replacement", inputs, "return torch.ops.aten." + name + ".default(x" + arguments + ")"),
                   {},
                   std::move(values),
                   {},
                   {}});
}

void addGelu(Patterns& out) {
    const std::vector<std::string> products = {"torch.mul(torch.mul(x, h), {s})", "torch.mul(torch.mul(x, {s}), h)",
                                               "torch.mul(x, torch.mul({s}, h))"};
    const std::vector<LibraryPattern::Constant> common = {{"h", 0.5}, {"one", 1}};
    const auto add = [&](const std::string& inner, const std::string& inputs, const std::string& arguments,
                         std::vector<LibraryPattern::Constant> values) {
        values.insert(values.begin(), common.begin(), common.end());
        for (const std::string& product : products)
            addActivation(out, "gelu", ", h, one" + inputs, filled(product, {{"s", "torch.add(" + inner + ", one)"}}),
                          arguments, values);
    };
    add("torch.erf(torch.div(x, r))", ", r", "", {{"r", std::sqrt(2.0)}});
    add("torch.erf(torch.mul(x, r))", ", r", "", {{"r", std::sqrt(0.5)}});
    const std::vector<LibraryPattern::Constant> tanh = {{"c", 0.044715}, {"r", std::sqrt(2.0 / M_PI)}};
    const auto addTanh = [&](const std::string& cube, const std::string& inputs,
                             const std::vector<LibraryPattern::Constant>& values) {
        add("torch.tanh(torch.mul(torch.add(x, " + cube + "), r))", ", c, r" + inputs, ", approximate='tanh'", values);
    };
    addTanh("torch.mul(torch.pow(x, three), c)", ", three", {tanh[0], tanh[1], {"three", 3}});
    addTanh("torch.mul(torch.mul(torch.mul(x, x), x), c)", "", tanh);
    addTanh("torch.mul(torch.mul(torch.mul(x, c), x), x)", "", tanh);
}

void addActivations(Patterns& out) {
    addGelu(out);
    const std::vector<LibraryPattern::Constant> three = {{"a", 3}, {"z", 6}},
                                                clamp = {{"a", 3}, {"z", 6}, {"lo", 0}, {"hi", 6}};
    for (const bool isClamp : {false, true}) {
        const std::string inner = isClamp ? "torch.clamp(torch.add(x, a), lo, hi)" : "F.relu6(torch.add(x, a))",
                          inputs = isClamp ? ", a, z, lo, hi" : ", a, z";
        addActivation(out, "hardswish", inputs, "torch.div(torch.mul(x, " + inner + "), z)", "",
                      isClamp ? clamp : three);
        addActivation(out, "hardswish", inputs, "torch.mul(x, torch.div(" + inner + ", z))", "",
                      isClamp ? clamp : three);
        addActivation(out, "hardsigmoid", inputs, "torch.div(" + inner + ", z)", "", isClamp ? clamp : three);
    }
    addActivation(out, "hardswish", "", "torch.mul(x, F.hardsigmoid(x))", "", {});
    addActivation(out, "mish", "", "torch.mul(x, torch.tanh(F.softplus(x)))", "", {});
    addActivation(out, "silu", "", "torch.mul(x, torch.sigmoid(x))", "", {});
}

/// Spellings beside those that follow from the name.
std::vector<std::string> otherNames(const std::string& name) {
    if (name == "div" || name == "true_divide") return {"div", "true_divide", "truediv"};
    if (name == "matmul") return {"matmul", "bmm"};
    if (name == "clamp") return {"clamp", "clip", "hardtanh"};
    return {name};
}
const char* moduleClass(const std::string& name) {
    constexpr std::pair<const char*, const char*> kClasses[] = {{"relu6", "torch.nn.ReLU6"},
                                                                {"hardsigmoid", "torch.nn.Hardsigmoid"},
                                                                {"sigmoid", "torch.nn.Sigmoid"},
                                                                {"tanh", "torch.nn.Tanh"},
                                                                {"softmax", "torch.nn.Softmax"}};
    for (const auto& [each, type] : kClasses)
        if (name == each) return type;
    return nullptr;
}

} // namespace

const std::vector<LibraryPattern>& patternLibrary() {
    static const Patterns kPatterns = [] {
        Patterns out;
        addAttention(out);
        addNorms(out);
        addActivations(out);
        return out;
    }();
    return kPatterns;
}

std::vector<std::string> libraryNames() {
    std::vector<std::string> names;
    for (const LibraryPattern& pattern : patternLibrary())
        if (std::find(names.begin(), names.end(), pattern.name) == names.end()) names.push_back(pattern.name);
    return names;
}

std::set<std::string> spellingsOf(const Node& node) {
    std::set<std::string> out;
    const std::string canonical = canonicalName(node);
    for (const std::string& name : otherNames(canonical)) {
        for (const char* prefix : {"_operator.", "torch.", "torch.nn.functional.", ""}) out.insert(prefix + name);
        for (const ops::Operator& overload : ops::overloads("aten::" + name))
            if (!overload.isMutable()) out.insert("torch.ops." + overload.qualifiedName());
    }
    if (const char* type = moduleClass(canonical)) out.insert(type);
    return out;
}

} // namespace fx
