// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pt2/pt2.h"
#include "core/json/json_writer.h"

#include <unordered_set>

namespace fx {

/// The weights or the constants of a model as archive records, with their configuration.
class Pt2PayloadWriter {
public:
    /// `isWeights` selects parameters and persistent buffers; otherwise other buffers and plain tensors.
    Pt2PayloadWriter(const GraphModule& model, const Pt2Origin& origin, bool isWeights);

    std::string folder;        ///< "data/weights/"
    std::string configuration; ///< name of its record in the folder
    std::string text;          ///< text of the configuration
    bool changed = false;      ///< true if `text` differs from the file
    /// A record of the archive.
    struct Record {
        std::string name;
        std::shared_ptr<const Storage> storage;
    };
    std::vector<Record> records;
    /// Records in the folder that only this model used; those missing in `records` are removed.
    std::unordered_set<std::string> owned;

private:
    struct Place {
        TensorPtr tensor; ///< null for a pickled object
        bool isParameter = false;
    };
    void collect();
    void findRecords(const JsonDocument& old);
    void write(const JsonDocument& old);
    void entry(const std::string& path, const Place& place, JsonValue old);
    std::string recordFor(const std::string& path, const TensorRef& tensor, const std::string& wanted);

    const GraphModule& m_model;
    const Pt2Origin& m_origin;
    bool m_isWeights;
    std::vector<std::pair<std::string, Place>> m_places; ///< in the order of the tree
    std::unordered_map<std::string, std::size_t> m_byPath;
    std::unordered_map<const Storage*, std::string> m_names;
    std::unordered_set<std::string> m_taken, m_foreign, m_used;
    JsonWriter* m_json = nullptr;
};

} // namespace fx
