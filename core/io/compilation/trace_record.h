// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fx {

/// The line of a record of TORCH_TRACE, split without parsing its JSON:
///
///     V1122 21:38:42.190000 4711 torch/_dynamo/output_graph.py:2841] {"dynamo_output_graph": {...}, "frame_id": 0,
///     ...}
struct RecordHead {
    std::string process; ///< "4711"
    std::string key;     ///< "dynamo_output_graph"
    std::string name;    ///< name of an artifact
    std::string json;
    bool endsWithCr = false;   ///< the log was written on Windows
    bool isOfInterest = false; ///< the record is read; others matter only if their payload is a graph
    bool isRunnable = false;   ///< the payload is a script with a graph
};
/// Splits a line; nullopt if it is not the head of a record.
std::optional<RecordHead> recordHead(std::string_view line);

/// Returns the ID of the compilation: "0/1", or "!2/0/1" inside compiled autograd; nullopt for a record outside a
/// compilation. Throws Error if a part is not a number.
std::optional<std::string> compileIdOf(JsonValue record);

/// Returns a string member, or an empty string.
std::string textAt(JsonValue object, std::string_view key);

/// File names, which the log writes once (`{"str": ["net.py", 3]}`) and then refers to by number, per process.
class InternedFiles {
public:
    /// Adds a name with its number.
    void intern(const std::string& process, JsonValue pair);
    /// Formats a frame of a stack: `net.py:12 in <module>: model(x)`.
    std::string frame(const std::string& process, JsonValue frame) const;

private:
    std::unordered_map<std::string, std::string> m_names; ///< by process and number
};

/// Converts `net.py:4 in forward` to `forward (net.py:4)`.
std::string functionOf(std::string_view frame);

} // namespace fx
