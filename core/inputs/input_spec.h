// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/values/value_tree.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/module/training_mode.h"

#include <optional>
#include <string>
#include <vector>

namespace fx {

/// The source of an input's values. Random values equal those of PyTorch after `torch.manual_seed(seed)`, bit for bit.
enum class Generator : std::uint8_t {
    Normal,   ///< torch.randn; integer types use Integers, booleans torch.randint(2).bool()
    Uniform,  ///< torch.rand, scaled to [from, to)
    Integers, ///< torch.randint(low, high)
    Constant, ///< torch.full(value)
    File,     ///< a file of torch.save
};
/// Returns the name in JSON: "normal", "uniform", "integers", "constant", "file".
std::string_view generatorName(Generator generator);

/// Describes one input: `--input x=1x3x224x224:float32` on the command line, a row of the editor in the window.
struct InputSpec {
    std::string name = {}; ///< the placeholder's target or name
    std::vector<std::int64_t> sizes = {};
    std::string dtype = "torch.float32"; ///< or "int", "float", "bool" for a Python number, the constant `value`
    std::int64_t high = 0;               ///< exclusive upper bound for Integers; 0 if unknown
    Generator generator = Generator::Normal;
    std::int64_t low = 0;    ///< inclusive lower bound for Integers
    double from = 0, to = 1; ///< range of Uniform, [from, to)
    double value = 0;        ///< value of Constant
    std::string file = {};   ///< path for File
    /// Key of a dict or index into a tuple in `file`. If empty, selects the item with the input's name in a dict, else
    /// the whole value.
    std::string entry = {};
    int batchDim = -1;                   ///< index of the batch size in `sizes`, or -1 if unknown
    std::optional<ValueTree> given = {}; ///< value of `file` after `readInputFiles`; not part of the JSON

    bool isInteger() const; ///< an integer tensor; false for bool
};
/// Formats the input: "1×3×224×224 float32, normal".
std::string inputText(const InputSpec& input);

/// All inputs for running a model. The document stores it.
struct InputDescription {
    std::vector<InputSpec> inputs;
    std::uint64_t seed = 0;
    RunMode mode = RunMode::AsSaved; ///< of the model
};
/// Writes the input as a JSON object.
void writeInput(JsonWriter& json, const InputSpec& input);
/// Reads what `writeInput` wrote; missing members have their defaults. Throws Error{File} for other content.
InputSpec readInput(JsonValue value);
/// Encodes the description: `{"seed": "0", "training": false, "inputs": [{"name", "sizes", "dtype", ...}]}`.
/// `training` is missing for the mode of the model.
std::string inputsJson(const InputDescription& description);
/// Decodes a description. Throws Error{File}.
InputDescription inputsFromJson(const std::string& text);

/// Returns the batch size that the inputs share; nullopt if no input has one or they differ.
std::optional<std::int64_t> batchSize(const InputDescription& description);
/// Sets the batch size of all inputs that have one.
void setBatchSize(InputDescription& description, std::int64_t size);

/// Reads the files of all inputs, each file once. Throws Error{File}, or Error{Usage} if a file lacks the entry.
void readInputFiles(std::vector<InputSpec>& inputs, const Progress& progress = {});

} // namespace fx
