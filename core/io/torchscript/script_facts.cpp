// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torchscript/script_facts.h"

#include "core/io/torchscript/script_objects.h"

#include <algorithm>
#include <set>

namespace fx::script {
namespace {

constexpr std::uint64_t kMostClassCode = 64 << 20;

/// `class Net(Module):` and its `  def forward(self, ...` in code/__torch__.py.
std::vector<std::string> methodsIn(const std::string& code, const std::string& className) {
    std::vector<std::string> out;
    std::size_t at = code.find("class " + className + "(");
    for (at = code.find('\n', at); at != code.npos && at + 1 < code.size(); at = code.find('\n', at + 1)) {
        if (code.compare(at + 1, 6, "class ") == 0) break;
        if (code.compare(at + 1, 6, "  def ") != 0) continue;
        const std::size_t start = at + 7, end = code.find('(', start);
        if (end != code.npos) out.push_back(code.substr(start, end - start));
    }
    return out;
}

} // namespace

ScriptFacts scriptFacts(const std::string& path, const Progress& progress) {
    const ZipArchive archive = ZipArchive::open(DataFile::open(path));
    const auto file = TorchFile::open(archive, progress);
    const PickleArena& arena = file->arena();
    ScriptFacts out;
    if (arena.is(arena.root(), PickleKind::NewObj)) out.className = arena.qualifiedName(arena.callee(arena.root()));
    std::set<const Storage*> storages;
    for (PickleRef ref = 0; ref < arena.size(); ++ref) {
        const TensorPtr tensor = file->isTensor(ref) ? file->tensor(ref) : nullptr;
        if (!tensor || (tensor->storage && !storages.insert(tensor->storage.get()).second)) continue;
        ++out.tensors.tensors, out.tensors.elements += tensor->elementCount(), out.tensors.bytes += tensor->byteCount();
    }
    const std::size_t dot = out.className.rfind('.');
    if (dot == out.className.npos) return out;
    std::string member = "code/" + out.className.substr(0, dot) + ".py";
    std::replace(member.begin(), member.begin() + static_cast<std::ptrdiff_t>(member.size() - 3), '.', '/');
    if (const ZipMember* code = archive.findInRoot(member))
        out.methods = methodsIn(archive.readText(*code, kMostClassCode), out.className.substr(dot + 1));
    return out;
}

} // namespace fx::script
