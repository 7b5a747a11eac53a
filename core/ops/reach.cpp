// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/reach.h"

#include "core/ops/python_signatures.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

// How the lists were made: all 4,391 schemas of the catalogue (the dispatcher's, torch::jit::getAllOperators() and
// those that PyTorch registers from Python) were sorted by the types and names of their arguments and read. Looked for
// were texts (str), objects of C++ classes, RRef, Future, Generator and Storage, operators without results, operators
// that hold graphs, and whole namespaces; then the names of all others by eye. Names of Python are those of
// core/ops/python_functions.tsv and the modules of PyTorch that open files, processes or libraries. A test goes over
// the catalogue and names every operator that is refused, so that a change of PyTorch is seen.
namespace fx::ops {
namespace {

using Entry = std::pair<std::string_view, Reach>;

/// Namespaces whose operators have been read. Those of others in the catalogue are refused.
constexpr std::string_view kReviewedSpaces[] = {
    "_native",      "_quantized", "_test",  "aten",     "debug_mode_ops",      "export", "inductor", "inductor_prims",
    "mkl",          "mkldnn",     "onnx",   "onednn",   "mkldnn_prepacked",    "prim",   "prims",    "profiler",
    "quantization", "quantized",  "sparse", "rngprims", "quantized_decomposed"};

constexpr Entry kOutsideSpaces[] = {
    {"_c10d_functional", Reach::Processes},
    {"_c10d_functional_autograd", Reach::Processes},
    {"_dtensor", Reach::Processes},
    {"c10d", Reach::Processes},
    {"symm_mem", Reach::Processes},
    {"rpc", Reach::Processes},
    {"aoti", Reach::Code},
    {"debugprims", Reach::Files},
    {"static_runtime", Reach::Memory}}; // leaves out the checks of aten's, and makes references that own nothing

constexpr Entry kOutsideOperators[] = {
    {"aten::from_file", Reach::Files},
    {"aten::save", Reach::Files},
    // objects on other machines
    {"aten::confirmed_by_owner", Reach::Processes},
    {"aten::is_owner", Reach::Processes},
    {"aten::local_value", Reach::Processes},
    {"aten::owner", Reach::Processes},
    {"aten::owner_name", Reach::Processes},
    {"aten::to_here", Reach::Processes},
    {"prim::rpc_async", Reach::Processes},
    {"prim::rpc_remote", Reach::Processes},
    {"prim::rpc_sync", Reach::Processes},
    // run what LibTorch has compiled, or what only it may have made; no file has them
    {"prim::BailOut", Reach::Code},
    {"prim::CudaFusionGroup", Reach::Code},
    {"prim::DifferentiableGraph", Reach::Code},
    {"prim::FallbackGraph", Reach::Code},
    {"prim::FusionGroup", Reach::Code}, // starts a C++ compiler
    {"prim::IgnoredPythonOp", Reach::Code},
    {"prim::PythonOp", Reach::Code},
    {"prim::StaticRuntimeCopyOuts", Reach::Code},
    {"prim::StaticSubgraph", Reach::Code},
    {"prim::TensorExprDynamicGroup", Reach::Code},
    {"prim::TensorExprGroup", Reach::Code},
    {"prim::oneDNNFusionGroup", Reach::Code},
    // sizes, strides and offsets that nobody compares with the memory
    {"aten::_nested_view_from_buffer", Reach::Memory},
    {"aten::_nested_view_from_buffer_copy", Reach::Memory},
    {"aten::_sparse_bsc_tensor_unsafe", Reach::Memory},
    {"aten::_sparse_bsr_tensor_unsafe", Reach::Memory},
    {"aten::_sparse_compressed_tensor_unsafe", Reach::Memory},
    {"aten::_sparse_coo_tensor_unsafe", Reach::Memory},
    {"aten::_sparse_csc_tensor_unsafe", Reach::Memory},
    {"aten::_sparse_csr_tensor_unsafe", Reach::Memory},
    {"inductor::_alloc_from_pool", Reach::Memory},
    {"inductor::_reinterpret_tensor", Reach::Memory},
    {"inductor::resize_storage_bytes_", Reach::Memory},
    {"mkldnn::data_ptr", Reach::Memory}, // an address
};

/// Arguments of type str that are a choice among words, a message, or a text that is worked on.
constexpr std::string_view kWords[] = {"UPLO",
                                       "_0",
                                       "a",
                                       "activation",
                                       "algorithm",
                                       "api_name",
                                       "approximate",
                                       "assert_msg",
                                       "attr",
                                       "b",
                                       "binary_attr",
                                       "chars",
                                       "cls",
                                       "driver",
                                       "device_type",
                                       "binary_post_op",
                                       "el",
                                       "equation",
                                       "fillchar",
                                       "idx",
                                       "ind",
                                       "indexing",
                                       "input",
                                       "interpolation",
                                       "item",
                                       "key",
                                       "l",
                                       "message",
                                       "mode",
                                       "msg",
                                       "new",
                                       "norm",
                                       "old",
                                       "ord",
                                       "p",
                                       "pad_mode",
                                       "padding",
                                       "reduce",
                                       "padding_side",
                                       "post_op_algorithm",
                                       "s",
                                       "self",
                                       "separator",
                                       "side",
                                       "post_op_name",
                                       "string",
                                       "substr",
                                       "rounding_mode",
                                       "t",
                                       "tag",
                                       "type",
                                       "unary_attr",
                                       "unary_post_op",
                                       "values",
                                       "unary_algorithm",
                                       "unary_post_op_algorithm"};

/// Operators with other texts, which name a record of the profiler.
constexpr std::string_view kHarmlessTexts[] = {"profiler::_record_function_enter",
                                               "profiler::_record_function_enter_new"};

/// Modules, classes and functions of Python, with all that is in them.
constexpr Entry kOutsidePython[] = {
    {"builtins.open", Reach::Files},
    {"ftplib", Reach::Processes},
    {"glob", Reach::Files},
    {"http", Reach::Processes},
    {"importlib", Reach::Code},
    {"io", Reach::Files},
    {"ctypes", Reach::Code},
    {"marshal", Reach::Code},
    {"mmap", Reach::Files},
    {"multiprocessing", Reach::Processes},
    {"numpy.fromfile", Reach::Files},
    {"numpy.load", Reach::Files},
    {"numpy.memmap", Reach::Files},
    {"numpy.save", Reach::Files},
    {"numpy.savetxt", Reach::Files},
    {"numpy.savez", Reach::Files},
    {"builtins.__import__", Reach::Code},
    {"builtins.breakpoint", Reach::Code},
    {"builtins.compile", Reach::Code},
    {"builtins.eval", Reach::Code},
    {"builtins.exec", Reach::Code},
    {"builtins.exit", Reach::Processes},
    {"builtins.input", Reach::Processes},
    {"builtins.quit", Reach::Processes},
    {"os", Reach::Processes},
    {"pathlib", Reach::Files},
    {"pickle", Reach::Code},
    {"posix", Reach::Processes},
    {"runpy", Reach::Code},
    {"shutil", Reach::Files},
    {"signal", Reach::Processes},
    {"socket", Reach::Processes},
    {"subprocess", Reach::Processes},
    {"sys", Reach::Processes},
    {"tempfile", Reach::Files},
    {"threading", Reach::Processes},
    {"urllib", Reach::Processes},
    {"torch.PyTorchFileReader", Reach::Files},
    {"torch.PyTorchFileWriter", Reach::Files},
    {"torch._C._distributed_c10d", Reach::Processes},
    {"torch._C._to_dlpack", Reach::Memory},
    {"torch._export.aot_load", Reach::Code},
    {"torch._inductor", Reach::Code},
    {"torch.classes.load_library", Reach::Code},
    {"torch.distributed", Reach::Processes},
    {"torch.export.load", Reach::Files},
    {"torch.export.save", Reach::Files},
    {"torch.from_dlpack", Reach::Memory},
    {"torch.frombuffer", Reach::Memory},
    {"torch.hub", Reach::Code},
    {"torch.import_ir_module", Reach::Files},
    {"torch.import_ir_module_from_buffer", Reach::Code},
    {"torch.jit._serialization", Reach::Files},
    {"torch.jit.load", Reach::Files},
    {"torch.jit.save", Reach::Files},
    {"torch.load", Reach::Files},
    {"torch.multiprocessing", Reach::Processes},
    {"torch.onnx", Reach::Files},
    {"torch.ops.load_library", Reach::Code},
    {"torch.package", Reach::Code},
    {"torch.save", Reach::Files},
    {"torch.serialization", Reach::Files},
    {"torch.utils.cpp_extension", Reach::Code},
    {"torch.utils.data", Reach::Files},
    {"torch.utils.dlpack", Reach::Memory},
    {"torch.utils.model_zoo", Reach::Code},
};

/// The modules of Python 3.11 (`sys.stdlib_module_names`), but for those that begin with an underscore; each between
/// blanks.
constexpr std::string_view kPythonModules =
    " "
    "abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii "
    "bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys "
    "compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses "
    "dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno "
    "faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass "
    "gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib "
    "inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap "
    "marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath "
    "nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil "
    "platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc "
    "pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets "
    "select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 "
    "sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau "
    "symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time "
    "timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing "
    "unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref "
    "xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo ";

/// In a graph, builtins have no module: "open".
constexpr std::string_view kBuiltins = "builtins.";

bool contains(std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<Reach> valueAt(std::span<const Entry> entries, std::string_view name) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.first == name; });
    return found == entries.end() ? std::nullopt : std::optional(found->second);
}

/// Whether the entry is the name, or a module or class around it.
bool covers(std::string_view entry, std::string_view name) {
    return name.starts_with(entry) && (name.size() == entry.size() || name[entry.size()] == '.');
}

std::optional<Reach> reachOfPython(std::string_view name) {
    for (const auto& [entry, reach] : kOutsidePython) {
        if (covers(entry, name)) return reach;
        if (entry.starts_with(kBuiltins) && entry.substr(kBuiltins.size()) == name) return reach;
    }
    return std::nullopt;
}

bool isText(std::string_view type) {
    return type == "str" || type.starts_with("str?") || type.starts_with("str[") || type.starts_with("str(");
}

/// "aten::from_file" of `torch.ops.aten.from_file.out`, `aten.from_file` and `aten::from_file.out`; empty of what is no
/// operator.
std::string operatorName(std::string_view name) {
    constexpr std::string_view kOps = "torch.ops.";
    const bool isOperator = name.starts_with(kOps) || name.find("::") != name.npos;
    if (name.starts_with(kOps)) name.remove_prefix(kOps.size());
    const std::size_t end = name.find_first_of(":.");
    if (!isOperator || end == name.npos) return {};
    const std::string_view rest = name.substr(end + (name[end] == ':' ? 2 : 1));
    return std::string(name.substr(0, end)).append("::").append(rest.substr(0, rest.find('.')));
}

} // namespace

std::optional<Reach> reachesOutside(const Operator& op) {
    if (const auto reach = valueAt(kOutsideOperators, op.name())) return reach;
    if (const auto reach = valueAt(kOutsideSpaces, op.nameSpace())) return reach;
    if (!contains(kReviewedSpaces, op.nameSpace())) return Reach::Code;
    if (contains(kHarmlessTexts, op.name())) return std::nullopt;
    for (const Argument argument : op.arguments())
        if (isText(argument.type()) && !contains(kWords, argument.name())) return Reach::Files;
    return std::nullopt;
}

std::optional<Reach> reachesOutside(std::string_view name) {
    if (const auto reach = reachOfPython(name)) return reach;
    if (const std::string op = operatorName(name); !op.empty()) {
        if (const auto exact = findOperator(name)) return reachesOutside(*exact);
        for (const Operator& overload : overloads(op))
            if (const auto reach = reachesOutside(overload)) return reach;
        if (const auto reach = valueAt(kOutsideOperators, op)) return reach;
        return valueAt(kOutsideSpaces, op.substr(0, op.find("::")));
    }
    for (const PythonSignature& signature : pythonSignatures(name))
        for (const std::string_view called : {signature.op, signature.outOp})
            if (const auto op = called.empty() ? std::nullopt : findOperator(called))
                if (const auto reach = reachesOutside(*op)) return reach;
    return std::nullopt;
}

bool isHarmlessClass(std::string_view name) {
    // Read: torch::customClassSchemasForBCCheck(). Of the others, _nnapi.Compilation loads a library.
    static constexpr std::string_view kSpaces[] = {"backendutils", "mkldnn", "profiler", "profiling",
                                                   "quantized",    "rnn",    "sparse"};
    constexpr std::string_view kClasses = "__torch__.torch.classes.";
    if (!name.starts_with(kClasses)) return false;
    name.remove_prefix(kClasses.size());
    return contains(kSpaces, name.substr(0, name.find('.')));
}

bool isOfPythonItself(std::string_view name) {
    const std::string_view top = name.substr(0, name.find('.'));
    return top.size() == name.size() || top.starts_with('_') ||
           kPythonModules.find(' ' + std::string(top) + ' ') != kPythonModules.npos;
}

Message refusalOf(std::string_view name, Reach reach) {
    switch (reach) {
    case Reach::Files: return Message("call.reaches_files", {{"name", name}});
    case Reach::Code: return Message("call.reaches_code", {{"name", name}});
    case Reach::Processes: return Message("call.reaches_processes", {{"name", name}});
    case Reach::Memory: break;
    }
    return Message("call.reaches_memory", {{"name", name}});
}

bool isPure(const Operator& op) {
    // Those that only check their arguments have no results either.
    static constexpr std::string_view kChecks[] = {"_assert", "_linalg_check_errors", "sym_constrain_range",
                                                   "_validate", "_sink_tokens"};
    static constexpr std::string_view kEffects[] = {
        "prim::RaiseException", "prim::TimePoint",        "aten::manual_seed", "aten::seed",
        "aten::initial_seed",   "aten::set_grad_enabled", "aten::set_data",    "aten::set_"};
    if (reachesOutside(op) || op.isVariadic() || op.nameSpace() == "profiler" || contains(kEffects, op.name()))
        return false;
    if (!op.returns().empty() || op.isMutable()) return true;
    return std::any_of(std::begin(kChecks), std::end(kChecks),
                       [&](std::string_view check) { return op.baseName().starts_with(check); });
}

} // namespace fx::ops
