// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/values/value_tree.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <optional>
#include <string>
#include <vector>

namespace fx {

/// The source of an input's values. Random values equal PyTorch's bit for bit after `torch.manual_seed(seed)`.
enum class Generator : std::uint8_t {
    Normal,   ///< torch.randn; for integer types Integers, for booleans torch.randint(2).bool()
    Uniform,  ///< torch.rand, scaled to [from, to)
    Integers, ///< torch.randint(low, high)
    Constant, ///< torch.full(value)
    File,     ///< from a file of torch.save
};
/// The name in JSON: "normal", "uniform", "integers", "constant", "file".
std::string_view generatorName(Generator generator);

/// A description of one input: `--input x=1x3x224x224:float32` on the command line, a row of the editor in
/// the window.
struct InputSpec {
    std::string name = {}; ///< the placeholder's target or name
    std::vector<std::int64_t> sizes = {};
    std::string dtype = "torch.float32"; ///< or "int", "float", "bool": a Python number, the constant `value`
    std::int64_t high = 0;               ///< for Integers: drawn from [low, high); 0 if unknown
    Generator generator = Generator::Normal;
    std::int64_t low = 0;
    double from = 0, to = 1; ///< of Uniform
    double value = 0;        ///< of Constant
    std::string file = {};   ///< of File: its path
    std::string entry =
        {}; ///< of File: key of a dict or index in a tuple; if empty, by name in a dict, else the whole value
    int batchDim = -1;                   ///< index of the batch size in `sizes`, or -1 if unknown
    std::optional<ValueTree> given = {}; ///< of File: the value read by `readInputFiles`; not part of the JSON

    bool isInteger() const; ///< an integer tensor, not bool
};
/// "1×3×224×224 float32, normal"
std::string inputText(const InputSpec& input);

/// All inputs for running a model. Stored with the document.
struct InputDescription {
    std::vector<InputSpec> inputs;
    std::uint64_t seed = 0;
};
void writeInput(JsonWriter& json, const InputSpec& input);
/// Throws Error{File} for anything that `writeInput` does not write; missing members have their defaults.
InputSpec readInput(JsonValue value);
/// `{"seed": "0", "inputs": [{"name", "sizes", "dtype", "generator", ...}]}`
std::string inputsJson(const InputDescription& description);
InputDescription inputsFromJson(const std::string& text);

/// The batch size that the inputs share, nullopt if no input has one or they differ.
std::optional<std::int64_t> batchSize(const InputDescription& description);
void setBatchSize(InputDescription& description, std::int64_t size);

/// Reads the files of inputs, each once. Throws Error{File}, or Error{Usage} if a file lacks the entry.
void readInputFiles(std::vector<InputSpec>& inputs, const Progress& progress = {});

} // namespace fx
