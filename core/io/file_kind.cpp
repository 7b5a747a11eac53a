// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/file_kind.h"

#include "core/io/pickle/unpickler.h"

#include <algorithm>
#include <array>

namespace fx {

namespace {

constexpr const char* kSaveTheModel =
    "save the traced model itself in Python: torch.save(torch.fx.symbolic_trace(model), 'model.pt')";

std::string start(const DataFile& file, std::size_t bytes) {
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, file.size())), '\0');
    file.read(0, std::as_writable_bytes(std::span(text)));
    return text;
}

/// Bytes that a kind of file has at a place, what it is, and what to do.
struct Signature {
    std::size_t offset;
    std::string_view bytes, what, hint;
};
using namespace std::string_view_literals;
constexpr std::array<Signature, 25> kSignatures{{
    {0, "version https://git-lfs"sv, "a Git LFS pointer: the file itself was not downloaded",
     "run `git lfs pull` and open it again"},
    {0, "<!DOCTYPE"sv, "a web page, not a model", "the download probably gave an error page: download the file again"},
    {0, "<html"sv, "a web page, not a model", "the download probably gave an error page: download the file again"},
    {0, "GGUF"sv, "a GGUF file: quantised weights for llama.cpp, without a graph", kSaveTheModel},
    {0, "\x89HDF\r\n"sv, "an HDF5 file (Keras)", "convert the model to PyTorch first"},
    {0, "\x93NUMPY"sv, "a NumPy array", "give it as input to a run, not as a model"},
    {4, "TFL3"sv, "a TensorFlow Lite model", "convert the model to PyTorch first"},
    {4, "ET12"sv, "an ExecuTorch program, which is compiled", "open the model that it was made from"},
    {4, "ET13"sv, "an ExecuTorch program, which is compiled", "open the model that it was made from"},
    {257, "ustar"sv, "a tar archive (torch.save before PyTorch 0.1.10 wrote such files)",
     "load it in Python and save it again"},
    {0, "\x1f\x8b"sv, "a gzip archive", "unpack it first"},
    {0, "BZh"sv, "a bzip2 archive", "unpack it first"},
    {0,
     "\xfd"
     "7zXZ"sv,
     "an xz archive", "unpack it first"},
    {0, "7z\xbc\xaf"sv, "a 7-Zip archive", "unpack it first"},
    {0, "\x28\xb5\x2f\xfd"sv, "a Zstandard archive", "unpack it first"},
    {0,
     "\x7f"
     "ELF"sv,
     "a program or compiled library", "open the model that it was made from"},
    {0, "\x89PNG"sv, "a picture", ""},
    {0, "\xff\xd8\xff"sv, "a picture", ""},
    {0, "%PDF"sv, "a PDF document", ""},
    {0, "#!"sv, "a script", ""},
    {0, "import "sv, "Python source", "name it .py and trace it"},
    {0, "from "sv, "Python source", "name it .py and trace it"},
    {0, "class "sv, "Python source", "name it .py and trace it"},
    {0, "def "sv, "Python source", "name it .py and trace it"},
    {0, "PK"sv, "a damaged zip archive", "the file may be incomplete: download or copy it again"},
}};

/// Archive members that tell what an archive is.
constexpr std::array<Signature, 9> kArchives{{
    {0, "serialized_exported_program.json"sv, "an export of PyTorch 2.8 or older, in an earlier schema",
     "load it with the PyTorch that wrote it, and save it again with 2.9 or newer"},
    {0, "data/aotinductor/"sv, "a package of compiled models (AOTInductor)",
     "open the exported program that it was compiled from"},
    {0, ".data/extern_modules"sv, "a torch.package archive, whose models need the Python code packed with them",
     "load the model in Python and save it with torch.save"},
    {0, "MAR-INF/MANIFEST.json"sv, "a TorchServe archive", "unpack it and open the model inside"},
    {0, "[Content_Types].xml"sv, "an office document", ""},
    {0, "META-INF/MANIFEST.MF"sv, "a Java archive", ""},
    {0, "model.weights.h5"sv, "a Keras model", "convert the model to PyTorch first"},
    {0, "bytecode.pkl"sv, "a model for the mobile interpreter", "open the model that it was made from"},
    {0, ".npy"sv, "a NumPy archive of arrays, without a model", kSaveTheModel},
}};

bool hasMember(const ZipArchive& archive, std::string_view part) {
    return std::any_of(archive.members().begin(), archive.members().end(), [&](const ZipMember& member) {
        return part == ".npy"
                   ? member.name.ends_with(part)
                   : member.name.starts_with(part) || member.name.starts_with(archive.root() + std::string(part));
    });
}

Error isA(const DataFile& file, const std::string& what, std::string_view hint) {
    return Error(ErrorKind::File, "this is " + what).in(file.path()).hinting(std::string(hint));
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
            return isA(file, "a file of torch.save's form before PyTorch 1.6 (no zip archive)",
                       "load it in Python with torch.load(..., weights_only=False) and save it again with torch.save");
        const PickleKind kind = first.kind(first.root());
        const bool isCall = kind == PickleKind::Reduce || kind == PickleKind::NewObj || kind == PickleKind::NewObjEx;
        const std::string name =
            isCall ? first.qualifiedName(first.callee(first.root())) : first.qualifiedName(first.root());
        return isA(
            file, "a Python pickle" + (name.empty() ? std::string() : " of " + name) + " that torch.save did not write",
            kSaveTheModel);
    } catch (const Error&) { return isA(file, "a damaged or unknown pickle", kSaveTheModel); }
}

} // namespace

FileKind fileKind(const DataFile& file, const ZipArchive* archive) {
    if (archive) {
        if (archive->find("lancet.json")) return FileKind::Project;
        if (const ZipMember* format = archive->findInRoot("archive_format"))
            if (archive->readText(*format, 64) == "pt2" && hasMember(*archive, "models/")) return FileKind::Pt2;
        if (archive->findInRoot("constants.pkl") && archive->findInRoot("data.pkl")) return FileKind::TorchScript;
        if (archive->findInRoot("data.pkl")) return FileKind::TorchSave;
        return FileKind::Other;
    }
    const std::string head = start(file, 4096);
    const std::size_t first = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (first != std::string::npos && head[first] == '{' && !isSafetensors(head, file.size())) return FileKind::IrJson;
    return FileKind::Other;
}

bool isTorchScript(const std::string& path) {
    try {
        const auto file = DataFile::open(path);
        if (!ZipArchive::looksLikeZip(*file)) return false;
        const ZipArchive archive = ZipArchive::open(file);
        return fileKind(*file, &archive) == FileKind::TorchScript;
    } catch (const Error&) {
        return false; // whoever opens it tells why
    }
}

Error describeOther(const DataFile& file, const ZipArchive* archive) {
    if (archive) {
        for (const Signature& kind : kArchives)
            if (hasMember(*archive, kind.bytes)) return isA(file, std::string(kind.what), kind.hint);
        return isA(file, "a zip archive that PyTorch did not write", kSaveTheModel);
    }
    if (file.size() == 0) return isA(file, "an empty file", "the download or copy was probably broken off");
    const std::string head = start(file, 512);
    if (isSafetensors(head, file.size()))
        return isA(file, "a safetensors file: weights without a model", kSaveTheModel);
    for (const Signature& kind : kSignatures)
        if (head.size() > kind.offset && std::string_view(head).substr(kind.offset).starts_with(kind.bytes))
            return isA(file, std::string(kind.what), kind.hint);
    if (isOnnx(head, file.path()))
        return isA(file, "an ONNX model", "convert it to PyTorch first, for instance with onnx2torch");
    if (head[0] == '\x80' || file.path().ends_with(".pkl")) return describeBarePickle(file);
    return Error(ErrorKind::File, "this is no kind of model that Lancet knows")
        .in(file.path())
        .hinting("Lancet opens files of torch.save(graph_module), torch.export.save, folders of GraphModule.to_folder, "
                 "and .json of its own");
}

} // namespace fx
