// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {

MessageTexts make() {
    static constexpr MessageText kTexts[] = {
        {"make.abstract", "cannot create {type}: it is a base class or a wrapper that no graph calls",
         "use a class with its own forward, such as torch.nn.LSTM"},
        {"make.activation", "unsupported activation: expected relu or gelu"},
        {"make.called_in_constructor", "unsupported call of a module in a constructor"},
        {"make.cannot_create", "cannot create {type}: {reason}",
         "save one with torch.save and use it as the replacement model"},
        {"make.class_failed", "cannot trace class '{name}': {reason}"},
        {"make.computed_constructor", "its constructor computes more than Lancet knows"},
        {"make.cutoffs_order", "cutoffs must increase from 1 to n_classes - 1"},
        {"make.deprecated_bounds", "setting '{name}' of torch.nn.Hardtanh is deprecated", "use min_val and max_val"},
        {"make.deprecated_reduction", "setting '{name}' is deprecated", "use reduction"},
        {"make.embed_dim", "embed_dim must be divisible by num_heads"},
        {"make.expected_count", "expected a non-negative integer as setting '{name}' of {type}"},
        {"make.expected_module", "expected a module as setting '{name}' of {type}",
         "write {\"type\": \"torch.nn.TransformerEncoderLayer\", \"settings\": {...}}"},
        {"make.setting_too_large", "expected at most 2^48 as setting '{name}' of {type}, got {value}"},
        {"make.expected_number", "expected a number as setting '{name}' of {type}"},
        {"make.expected_positive", "expected a positive integer as setting '{name}' of {type}"},
        {"make.expected_sizes", "expected a number or {count} numbers as setting '{name}' of {type}"},
        {"make.expected_text", "expected a string as setting '{name}' of {type}"},
        {"make.group_norm", "num_channels ({channels}) must be divisible by num_groups ({groups})"},
        {"make.groups", "in_channels and out_channels must be divisible by groups"},
        {"make.lazy", "{type} has no weights before its first run in PyTorch",
         "use torch.nn.{eager} with explicit sizes"},
        {"make.missing_setting", "missing setting '{name}' of {type}"},
        {"make.no_cutoffs", "cutoffs must not be empty"},
        {"make.no_definition", "no function and no class in the source", "write `def {name}(x): return ...`"},
        {"make.not_a_module", "'{name}' is not an nn.Module"},
        {"make.object_options", "its options are an object"},
        {"make.one_of_two_settings", "{type} needs exactly one of output_size and output_ratio"},
        {"make.padding_idx", "padding_idx must be within num_embeddings"},
        {"make.parameter_without_data", "unsupported parameter without data"},
        {"make.process_group", "process groups belong to one process"},
        {"make.proj_size", "proj_size must be smaller than hidden_size"},
        {"make.python_distance", "its distance function is Python code"},
        {"make.several_definitions", "the source defines {names}, but no '{name}'", "name one of them"},
        {"make.tensor_setting", "its setting '{name}' is a tensor"},
        {"make.unknown_class", "unknown class '{name}' in the source"},
        {"make.unknown_nonlinearity", "unknown nonlinearity '{name}': expected 'tanh' or 'relu'"},
        {"make.unknown_setting", "unknown setting '{name}' of {type}", "use one of {known}"},
        {"make.unknown_type", "unknown PyTorch module class '{type}'", "write it as torch.nn.Conv2d"},
        {"make.unknown_values",
         "cannot compute the values of {value}: expected torch.zeros, ones, full, tensor, arange, eye, rand or randn"},
        {"make.unsupported_class", "cannot trace class '{name}'"},
        {"make.unsupported_dtype", "unsupported dtype of a new module: expected float32"},
        {"make.unsupported_init", "unsupported function torch.nn.init.{name}"},
        {"make.unsupported_method", "unsupported module method '{method}' in a constructor"},
        {"make.unsupported_super", "unsupported use of super()"},
    };
    return kTexts;
}

} // namespace fx::texts
