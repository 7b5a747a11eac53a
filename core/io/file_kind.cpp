// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/file_kind.h"

#include "core/io/compile_text/compile_text.h"
#include "core/io/graphmodule/torch_file.h"
#include "core/io/pickle/unpickler.h"

#include <algorithm>
#include <array>

namespace fx {

namespace {

std::string start(const DataFile& file, std::size_t bytes) {
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, file.size())), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)));
    return text;
}

/// Bytes that a kind of file has at a place, and the code of what it is.
struct Signature {
    std::size_t offset;
    std::string_view bytes;
    MessageCode code;
};
using namespace std::string_view_literals;
constexpr std::array<Signature, 25> kSignatures{{
    {0, "version https://git-lfs"sv, "io.kind.git_lfs_pointer"},
    {0, "<!DOCTYPE"sv, "io.kind.web_page"},
    {0, "<html"sv, "io.kind.web_page"},
    {0, "GGUF"sv, "io.kind.gguf_file"},
    {0, "\x89HDF\r\n"sv, "io.kind.hdf5_file"},
    {0, "\x93NUMPY"sv, "io.kind.numpy_array"},
    {4, "TFL3"sv, "io.kind.tensorflow_lite_model"},
    {4, "ET12"sv, "io.kind.executorch_program"},
    {4, "ET13"sv, "io.kind.executorch_program"},
    {257, "ustar"sv, "io.kind.tar_archive"},
    {0, "\x1f\x8b"sv, "io.kind.gzip_archive"},
    {0, "BZh"sv, "io.kind.bzip2_archive"},
    {0,
     "\xfd"
     "7zXZ"sv,
     "io.kind.xz_archive"},
    {0, "7z\xbc\xaf"sv, "io.kind.7_zip_archive"},
    {0, "\x28\xb5\x2f\xfd"sv, "io.kind.zstandard_archive"},
    {0,
     "\x7f"
     "ELF"sv,
     "io.kind.program_or_compiled_library"},
    {0, "\x89PNG"sv, "io.kind.picture"},
    {0, "\xff\xd8\xff"sv, "io.kind.picture"},
    {0, "%PDF"sv, "io.kind.pdf_document"},
    {0, "#!"sv, "io.kind.script"},
    {0, "import "sv, "io.kind.python_source"},
    {0, "from "sv, "io.kind.python_source"},
    {0, "class "sv, "io.kind.python_source"},
    {0, "def "sv, "io.kind.python_source"},
    {0, "PK"sv, "io.kind.damaged_zip_archive"},
}};

/// Archive members that tell what an archive is.
constexpr std::array<Signature, 9> kArchives{{
    {0, "serialized_exported_program.json"sv, "io.kind.export_of_pytorch_2_8_or_older"},
    {0, "data/aotinductor/"sv, "io.kind.package_of_compiled_models"},
    {0, ".data/extern_modules"sv, "io.kind.torch_package_archive"},
    {0, "MAR-INF/MANIFEST.json"sv, "io.kind.torchserve_archive"},
    {0, "[Content_Types].xml"sv, "io.kind.office_document"},
    {0, "META-INF/MANIFEST.MF"sv, "io.kind.java_archive"},
    {0, "model.weights.h5"sv, "io.kind.keras_model"},
    {0, "bytecode.pkl"sv, "io.kind.model_for_the_mobile_interpreter"},
    {0, ".npy"sv, "io.kind.numpy_archive_of_arrays"},
}};

bool hasMember(const ZipArchive& archive, std::string_view part) {
    return std::any_of(archive.members().begin(), archive.members().end(), [&](const ZipMember& member) {
        return part == ".npy"
                   ? member.name.ends_with(part)
                   : member.name.starts_with(part) || member.name.starts_with(archive.root() + std::string(part));
    });
}

bool isSafetensors(const std::string& head, std::uint64_t size) {
    if (head.size() < 10 || head[8] != '{') return false;
    std::uint64_t length = 0;
    for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(head[i]);
    return length >= 2 && length <= size - 8;
}

/// ONNX is a protobuf: ir_version (field 1, a small number), then producer_name (field 2) or the next fields of a
/// model.
bool isOnnx(const std::string& head, const std::string& path) {
    if (head.size() < 4 || head[0] != '\x08') return false;
    return path.ends_with(".onnx") || (head[1] >= 1 && head[1] <= 20 && head[2] == '\x12');
}

/// A pickle outside an archive: what torch.save wrote before 1.6, or Python's own.
Error describeBarePickle(const DataFile& file) {
    constexpr std::uint64_t kMost = 64 << 20;
    auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(std::min(file.size(), kMost)));
    file.read(0, *bytes);
    try {
        const PickleArena first = unpickle(bytes, "first pickle");
        if (first.is(first.root(), PickleKind::BigInt) &&
            first.bigIntDigits(first.root()) == "119547037146038801333356")
            return notAModel(file.path(), Message("io.kind.old_torch_save"));
        const PickleKind kind = first.kind(first.root());
        const bool isCall = kind == PickleKind::Reduce || kind == PickleKind::NewObj || kind == PickleKind::NewObjEx;
        const std::string name =
            isCall ? first.qualifiedName(first.callee(first.root())) : first.qualifiedName(first.root());
        return notAModel(file.path(),
                         name.empty() ? Message("io.kind.pickle") : Message("io.kind.pickle_of", {{"class", name}}));
    } catch (const Error&) { return notAModel(file.path(), Message("io.kind.damaged_pickle")); }
}

} // namespace

Error notAModel(const std::string& path, const Message& kind) {
    Error error(ErrorKind::File, Message("io.not_a_model", {{"what", kind.text()}, {"kind", kind.code()}}));
    error.in(path).hinting(kind.hint());
    error.commandLineHint = kind.commandLineHint();
    return error;
}

FileKind fileKind(const DataFile& file, const ZipArchive* archive) {
    if (archive) {
        if (archive->find("lancet.json")) return FileKind::Project;
        if (const ZipMember* format = archive->findInRoot("archive_format"))
            if (archive->readText(*format, 64) == "pt2" && hasMember(*archive, "models/")) return FileKind::Pt2;
        if (archive->findInRoot("constants.pkl") && archive->findInRoot("data.pkl")) return FileKind::TorchScript;
        if (archive->findInRoot("data.pkl")) return FileKind::TorchSave;
        return FileKind::Other;
    }
    if (TorchFile::looksOld(file)) return FileKind::TorchSave;
    const std::string head = start(file, 4096);
    const std::size_t first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (first != std::string::npos && head[first] == '{' && !isSafetensors(head, file.size()))
        return head.find("\"lancet_recipe\"") == std::string::npos ? FileKind::IrJson : FileKind::Recipe;
    const bool mayBePython = head.find('\0') == std::string::npos &&
                             (head.find("class ") != std::string::npos || head.find("import ") != std::string::npos);
    // The class of a runnable stands below its settings and kernels.
    if (mayBePython && isCompileText(start(file, 4 << 20))) return FileKind::CompileText;
    return FileKind::Other;
}

bool isTorchScript(const std::string& path) {
    try {
        const auto file = DataFile::open(path);
        if (!ZipArchive::looksLikeZip(*file)) return false;
        const ZipArchive archive = ZipArchive::open(file);
        return fileKind(*file, &archive) == FileKind::TorchScript;
    } catch (const Error&) { return false; } // opening it reports why
}

Error describeOther(const DataFile& file, const ZipArchive* archive) {
    if (archive) {
        for (const Signature& kind : kArchives)
            if (hasMember(*archive, kind.bytes)) return notAModel(file.path(), Message(kind.code));
        return notAModel(file.path(), Message("io.kind.other_zip"));
    }
    if (file.size() == 0) return notAModel(file.path(), Message("io.kind.empty"));
    const std::string head = start(file, 512);
    if (isSafetensors(head, file.size()))
        return notAModel(file.path(), Message("io.kind.safetensors", {{"file", file.path()}}));
    for (const Signature& kind : kSignatures)
        if (head.size() > kind.offset && std::string_view(head).substr(kind.offset).starts_with(kind.bytes))
            return notAModel(file.path(), Message(kind.code));
    if (isOnnx(head, file.path())) return notAModel(file.path(), Message("io.kind.onnx"));
    if (head[0] == '\x80' || file.path().ends_with(".pkl")) return describeBarePickle(file);
    return Error(ErrorKind::File, Message("io.unknown_file")).in(file.path());
}

} // namespace fx
