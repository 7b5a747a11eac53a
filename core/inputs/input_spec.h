// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/values/value_tree.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <optional>
#include <string>
#include <vector>

namespace fx {

/// Where the values of an input come from. Drawn ones are PyTorch's, bit for bit, after `torch.manual_seed(seed)`.
enum class Generator : std::uint8_t {
    Normal,   ///< torch.randn; of integer types Integers, of booleans torch.randint(2).bool()
    Uniform,  ///< torch.rand, stretched to [from, to)
    Integers, ///< torch.randint(low, high)
    Constant, ///< torch.full(value)
    File,     ///< from a file that torch.save wrote
};
/// The word in JSON: "normal", "uniform", "integers", "constant", "file".
std::string_view generatorName(Generator generator);

/// One input of a model, described as data: `--input x=1x3x224x224:float32` on the command line, a row of the editor in
/// the window.
struct InputSpec {
    std::string name = {}; ///< the placeholder's target or name
    std::vector<std::int64_t> sizes = {};
    std::string dtype = "torch.float32"; ///< or "int", "float", "bool": a Python number, the constant `value`
    std::int64_t high = 0;               ///< of Integers: drawn from [low, high); 0: not known
    Generator generator = Generator::Normal;
    std::int64_t low = 0;
    double from = 0, to = 1; ///< of Uniform
    double value = 0;        ///< of Constant
    std::string file = {};   ///< of File: its path
    std::string entry = {};  ///< of File: key of a dict or index in a tuple; empty: by name in a dict, else the whole
    int batchDim = -1;       ///< which of `sizes` is the batch; -1: none is known
    std::optional<ValueTree> given = {}; ///< of File: what was read, see `readInputFiles`; not part of the JSON

    bool isInteger() const; ///< an integer tensor, not bool
};
/// "1×3×224×224 float32, normal"
std::string inputText(const InputSpec& input);

/// What a model is run with. Kept with the document.
struct InputDescription {
    std::vector<InputSpec> inputs;
    std::uint64_t seed = 0;
};
void writeInput(JsonWriter& json, const InputSpec& input);
/// Throws Error{File} for what `writeInput` does not write; members that are missing have their defaults.
InputSpec readInput(JsonValue value);
/// `{"seed": "0", "inputs": [{"name", "sizes", "dtype", "generator", ...}]}`
std::string inputsJson(const InputDescription& description);
InputDescription inputsFromJson(const std::string& text);

/// The batch size that the inputs share, nullopt when none has one or they differ.
std::optional<std::int64_t> batchSize(const InputDescription& description);
void setBatchSize(InputDescription& description, std::int64_t size);

/// Reads the files of inputs that come from files, once each. Throws Error{File}, Error{Usage} when the file has no
/// such entry.
void readInputFiles(std::vector<InputSpec>& inputs, const Progress& progress = {});

} // namespace fx
