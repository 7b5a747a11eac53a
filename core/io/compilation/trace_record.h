// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fx {

/// The line of a record of TORCH_TRACE, taken apart without reading its JSON:
///
///     V1122 21:38:42.190000 4711 torch/_dynamo/output_graph.py:2841] {"dynamo_output_graph": {...}, "frame_id": 0,
///     ...}
struct RecordHead {
    std::string process; ///< "4711"
    std::string key;     ///< "dynamo_output_graph"
    std::string name;    ///< of an artifact
    std::string json;
    bool endsWithCr = false;   ///< the line: the log was written on Windows
    bool isOfInterest = false; ///< the record is read; others only if their payload is a graph
    bool isRunnable = false;   ///< its payload is a script with a graph
};
/// nullopt for a line that is not the head of a record.
std::optional<RecordHead> recordHead(std::string_view line);

/// "0/1", or "!2/0/1" inside of compiled autograd; nullopt for a record outside of a compilation. Throws Error if
/// one of the parts is not a number.
std::optional<std::string> compileIdOf(JsonValue record);

/// A member that is a string, or empty.
std::string textAt(JsonValue object, std::string_view key);

/// Names of files, which the log writes once (`{"str": ["net.py", 3]}`) and then as numbers, per process.
class InternedFiles {
public:
    void intern(const std::string& process, JsonValue pair);
    /// `net.py:12 in <module>: model(x)` for a frame of a stack.
    std::string frame(const std::string& process, JsonValue frame) const;

private:
    std::unordered_map<std::string, std::string> m_names; ///< by process and number
};

/// `forward (net.py:4)` for `net.py:4 in forward`.
std::string functionOf(std::string_view frame);

} // namespace fx
