// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/computed_reads.h"

#include "core/base/joined_path.h"
#include "core/diag/error.h"
#include "core/pysrc/expression_names.h"

#include <algorithm>
#include <unordered_set>

namespace fx {
namespace {

std::set<std::string> readsOf(const std::string& source) {
    if (source.find("self") == source.npos) return {}; // most read nothing
    try {
        return py::namesIn(source).reads;
    } catch (const Error&) { return {}; } // running the model tells
}

} // namespace

std::pair<PathTarget, std::string> readTarget(PathResolver& paths, const std::string& read) {
    PathTarget target;
    std::size_t end = 0;
    do {
        end = std::min(read.find('.', end + 1), read.size());
        target = paths.resolve(std::string_view(read).substr(0, end));
    } while (target.kind == PathTarget::Kind::Module && end < read.size());
    return {target, read.substr(0, end)};
}

std::string readerOf(PathResolver& paths, const std::string& constant, const std::set<std::string>& reads) {
    for (std::size_t end = constant.rfind('.'); end != std::string::npos && end > 0;
         end = constant.rfind('.', end - 1)) {
        const std::string path = constant.substr(0, end);
        const Module* module = paths.resolve(path).module;
        const auto isThere = [&](const std::string& read) {
            return readTarget(paths, path + "." + read).first.tensor != nullptr;
        };
        if (module && module->graphModule && std::any_of(reads.begin(), reads.end(), isThere)) return path;
    }
    return {};
}

ComputedReads computedReads(PathResolver& paths, const std::string& path, const TensorPtr& tensor) {
    if (!tensor || !tensor->storage || !tensor->storage->isExpression()) return {};
    const std::set<std::string> reads = readsOf(tensor->storage->expressionSource());
    if (reads.empty()) return {};
    ComputedReads out{readerOf(paths, path, reads), {}};
    for (const std::string& read : reads) {
        auto found = readTarget(paths, joinedPath(out.reader, read));
        if (found.first.tensor) out.paths.push_back(std::move(found.second));
    }
    return out;
}

std::vector<std::string> neededPaths(const Graph& graph, const Module& root) {
    std::vector<std::string> out;
    std::unordered_set<std::string> known;
    for (const Node& node : graph.nodes())
        if ((node.op() == Op::CallModule || node.op() == Op::GetAttr) && known.insert(node.target()).second)
            out.push_back(node.target());
    PathResolver paths(root);
    for (std::size_t i = 0; i < out.size(); ++i) { // a constant may read others
        const std::string path = out[i];
        for (std::string& read : computedReads(paths, path, paths.resolve(path).tensor).paths)
            if (known.insert(read).second) out.push_back(std::move(read));
    }
    return out;
}

} // namespace fx
