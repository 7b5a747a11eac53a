// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

namespace fx::remote {

/// What an exported program asks of its inputs, what its outputs are and how its module puts them together: all that running
/// one needs of its file.
struct ExportedSignature : Origin {
    struct Output {
        std::string kind;   ///< "user_output", "buffer_mutation", ...
        std::string target; ///< module path or input that is changed, or empty
    };
    /// The sizes that a symbol may stand for; none: unbounded.
    struct Range {
        std::string symbol;
        std::optional<std::int64_t> min, max;
    };
    std::vector<Output> outputs;
    std::vector<Range> ranges;
    std::string specification; ///< JSON [version, pytree specification] of what is returned, or empty

    /// That of a model which came from a .pt2 file or through a message; null for others.
    static std::shared_ptr<const ExportedSignature> of(const GraphModule& model);
};

} // namespace fx::remote
