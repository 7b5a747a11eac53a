// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/script_facts.h"

#include "core/torchscript/script_objects.h"

#include <algorithm>
#include <set>

namespace fx::script {
namespace {

constexpr std::uint64_t kMostClassCode = 64 << 20;

/// `class Net(Module):` has `  def forward(self, ...`.
std::vector<std::string> methodsIn(const std::string& code) {
    std::vector<std::string> out;
    constexpr std::string_view kStart = "\n  def ";
    for (std::size_t at = code.find(kStart); at != code.npos; at = code.find(kStart, at + 1)) {
        const std::size_t start = at + kStart.size(), end = code.find('(', start);
        if (end != code.npos) out.push_back(code.substr(start, end - start));
    }
    return out;
}

} // namespace

std::string classNameOf(const TorchFile& file) {
    const PickleArena& arena = file.arena();
    return arena.is(arena.root(), PickleKind::NewObj) ? arena.qualifiedName(arena.callee(arena.root())) : std::string();
}

std::string classCode(const ZipArchive& archive, const std::string& className) {
    const std::size_t dot = className.rfind('.');
    if (dot == className.npos) return {};
    std::string member = "code/" + className.substr(0, dot) + ".py";
    std::replace(member.begin(), member.begin() + static_cast<std::ptrdiff_t>(member.size() - 3), '.', '/');
    const ZipMember* found = archive.findInRoot(member);
    if (!found) return {};
    const std::string code = archive.readText(*found, kMostClassCode);
    const std::size_t start = code.find("class " + className.substr(dot + 1) + "(");
    if (start == code.npos) return {};
    return code.substr(start, std::min(code.find("\nclass ", start), code.size()) - start);
}

ScriptFacts scriptFacts(const std::string& path, const Progress& progress) {
    const ZipArchive archive = ZipArchive::open(DataFile::open(path));
    const auto file = TorchFile::open(archive, progress);
    const PickleArena& arena = file->arena();
    ScriptFacts out;
    out.className = classNameOf(*file);
    std::set<const Storage*> storages;
    for (PickleRef ref = 0; ref < arena.size(); ++ref) {
        const TensorPtr tensor = file->isTensor(ref) ? file->tensor(ref) : nullptr;
        if (!tensor || (tensor->storage && !storages.insert(tensor->storage.get()).second)) continue;
        ++out.tensors.tensors, out.tensors.elements += tensor->elementCount(), out.tensors.bytes += tensor->byteCount();
    }
    out.methods = methodsIn(classCode(archive, out.className));
    return out;
}

} // namespace fx::script
