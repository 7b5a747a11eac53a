# SPDX-License-Identifier: GPL-3.0-or-later
"""Pickles that are broken, hostile or not a GraphModule."""

import struct

from archives import model
from cases import EITHER, add, case
from pickles import CODE, IMPORTS, Call, Global, New, Raw, encode, graph_module, linear, module_state, parameter, tensor, whole

MILLION = 1_000_000
MARKER = "lancet_code_ran"  # the file that a pickle would make if its code ran


def saved(value, **archive):
    return model(whole(value), **archive)


def raw(opcodes):
    return model(b"\x80\x02" + opcodes)


def with_attribute(opcodes):
    """A good GraphModule with one more attribute, whose value is these opcodes."""
    return saved(graph_module(extra=Raw(opcodes)))


# Code that would run ------------------------------------------------------------------------------------------------
touch = Call(Global("os", "system"), (f"touch {MARKER}",))
add("runs_code_on_top", lambda: saved(touch), "os.system|GraphModule")
add("runs_code_in_attribute", lambda: saved(graph_module(extra=touch)), exits=EITHER)
add("runs_code_eval", lambda: saved(graph_module(extra=Call(Global("builtins", "eval"), (f"open('{MARKER}', 'w')",)))), exits=EITHER)
add("runs_code_inst", lambda: raw(b"(S'touch " + MARKER.encode() + b"'\nios\nsystem\n."))
add("runs_code_submodule", lambda: saved(graph_module(modules={"linear": touch})), exits=EITHER)
add("runs_code_import_block", lambda: saved(graph_module(imports=IMPORTS + f"\nimport os; os.system('touch {MARKER}')")), exits=EITHER)
add("runs_code_in_code", lambda: saved(graph_module(f"import os\nos.system('touch {MARKER}')\n" + CODE)), exits=EITHER)
add("runs_code_in_default", lambda: saved(graph_module(CODE.replace("self, x", f"self, x = open('{MARKER}', 'w')"))), exits=EITHER)


# Not a GraphModule --------------------------------------------------------------------------------------------------
add("state_dict", lambda: saved({"linear.weight": tensor((2, 2), (2, 1))}), "state dict")
add("state_dict_ordered", lambda: model(b"\x80\x02" + encode(Call(Global("collections", "OrderedDict"), ())) + b"("
                                        + encode("a") + encode(tensor((2,), (1,))) + b"u."), "state dict")
add("whole_module", lambda: saved(linear()), "Linear")
add("own_module_class", lambda: saved(New(Global("mypkg.net", "Net"), module_state())), "mypkg.net.Net|Net")
add("single_tensor", lambda: saved(tensor((2,), (1,))), "tensor")
add("list_of_models", lambda: saved([graph_module()]), "list")
add("number", lambda: saved(5))
add("none", lambda: saved(None))
add("legacy_file", lambda: b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03." + whole({"protocol_version": 1001}))
add("bare_pickle", lambda: whole(graph_module()))


# Opcodes ------------------------------------------------------------------------------------------------------------
add("empty_pickle", lambda: model(b""))
add("only_proto", lambda: raw(b""))
add("no_stop", lambda: raw(encode(graph_module())))
add("unknown_opcode", lambda: raw(b"\xfe."))
add("protocol_9", lambda: model(b"\x80\x09N."))
add("stack_underflow", lambda: raw(b"R."))
add("stop_on_empty_stack", lambda: raw(b"."))
add("mark_missing", lambda: raw(b"Nt."))
add("memo_missing", lambda: raw(b"h\x07."))
add("memo_far", lambda: raw(b"N" + b"r\xff\xff\xff\xff" + b"."))
add("memo_text_far", lambda: raw(b"Np99999999999999999999\n."))
add("text_beyond_end", lambda: raw(b"X\xff\xff\xff\x7fabc."))
add("text8_beyond_end", lambda: model(b"\x80\x04\x8d" + b"\xff" * 7 + b"\x7f" + b"abc."))
add("bytes8_beyond_end", lambda: model(b"\x80\x04\x8e" + b"\xff" * 8 + b"abc."))
add("long4_negative", lambda: raw(b"\x8b\xff\xff\xff\xffabc."))
add("long4_beyond_end", lambda: raw(b"\x8b\xff\xff\xff\x7fabc."))
add("frame_beyond_end", lambda: model(b"\x80\x04\x95" + b"\xff" * 8 + b"N."))
add("line_without_end", lambda: raw(b"ctorch"))
add("digits_wrong", lambda: raw(b"Iabc\n."))
add("digits_million", lambda: with_attribute(b"I" + b"9" * MILLION + b"\n"), exits=EITHER)
add("not_utf8", lambda: raw(b"X\x02\x00\x00\x00\xff\xfe."))
add("setitems_odd", lambda: raw(b"}(NNNu."))
add("setitem_on_number", lambda: raw(b"K\x01NNs."))
add("append_on_number", lambda: raw(b"K\x01Na."))
add("build_on_number", lambda: raw(b"K\x01}b."))
add("unhashable_key", lambda: raw(b"}]Ns."))
add("persid_odd", lambda: raw(b"NQ."))
add("marks_million", lambda: raw(b"(" * MILLION + b"."))
add("stop_twice", lambda: raw(encode(graph_module()) + b".."), exits=EITHER)


# Depth and cycles ---------------------------------------------------------------------------------------------------
add("lists_million_deep", lambda: with_attribute(b"]" * MILLION + b"a" * (MILLION - 1)), exits=EITHER)
add("tuples_million_deep", lambda: with_attribute(b")" + b"\x85" * MILLION), exits=EITHER)
add("dicts_million_deep", lambda: with_attribute(b"}" + b"N}" * MILLION + b"s" * MILLION), exits=EITHER)
add("calls_million_deep", lambda: with_attribute(b"N" + b"\x85cm\nf\n\x85R"[:1] * MILLION), exits=EITHER)
add("top_million_deep", lambda: raw(b"]" * MILLION + b"a" * (MILLION - 1) + b"."))
add("list_in_itself", lambda: with_attribute(b"]q\x01h\x01a"), exits=EITHER)
add("dict_in_itself", lambda: with_attribute(b"}q\x01Nh\x01s"), exits=EITHER)
add("tuple_in_itself", lambda: with_attribute(b"]q\x01h\x01\x85a"), exits=EITHER)
add("top_list_in_itself", lambda: raw(b"]q\x01h\x01a."))
add("module_in_itself", lambda: saved(graph_module(modules={"linear": Raw(
    b"ctorch.nn.modules.module\nModule\n)\x81q\x05" + encode(module_state(modules={"me": Raw(b"h\x05")})) + b"b")})), exits=EITHER)


@case(exits=EITHER)
def lists_that_double():
    """30 lists, each twice the one before: 2^30 elements when written out."""
    return with_attribute(b"]Na" + b"".join(b"q%c]h%ca" % (i, i) + b"h%ca" % i for i in range(1, 61)))


@case(exits=EITHER)
def modules_that_double():
    """40 modules, each with the one before as two children: 2^40 paths."""
    empty = b"ctorch.nn.modules.module\nModule\n)\x81"
    opcodes = empty + encode(module_state()) + b"b"
    for i in range(1, 41):
        children = {"a": Raw(b"h%c" % i), "b": Raw(b"h%c" % i)}
        opcodes += b"q%c0" % i + empty + encode(module_state(modules=children)) + b"b"
    return saved(graph_module(modules={"linear": Raw(opcodes)}))


@case(exits=EITHER)
def modules_100k_deep():
    head = b"ctorch.nn.modules.module\nModule\n)\x81}(" + encode("training") + b"\x88" + encode("_parameters") + b"}" + encode("_buffers") + b"}" + encode("_modules") + b"}" + encode("m")
    return saved(graph_module(modules={"linear": Raw(head * 100_000 + b"N" + b"sub" * 100_000)}))


# Tensors ------------------------------------------------------------------------------------------------------------
def with_tensor(**changes):
    arguments = {"sizes": (2,), "strides": (1,), "key": "1", **changes}
    sizes, strides = arguments.pop("sizes"), arguments.pop("strides")
    return lambda: saved(graph_module(parameters={"weight": parameter(tensor(sizes, strides, **arguments))}))


add("tensor_offset_past_end", with_tensor(offset=10**6), "weight")
add("tensor_offset_negative", with_tensor(offset=-5), "weight")
add("tensor_size_past_end", with_tensor(sizes=(10**6,)), "weight")
add("tensor_size_negative", with_tensor(sizes=(-2,)), "weight")
add("tensor_size_overflow", with_tensor(sizes=(2**40, 2**40), strides=(1, 1), numel=2), "weight")
add("tensor_stride_past_end", with_tensor(strides=(10**9,)), "weight")
add("tensor_stride_overflow", with_tensor(sizes=(2**33,), strides=(2**33,), numel=2), "weight")
add("tensor_strides_missing", with_tensor(strides=()), "weight")
add("tensor_10000_dimensions", with_tensor(sizes=(1,) * 10000, strides=(1,) * 10000), exits=EITHER)
add("tensor_size_no_number", with_tensor(sizes=("a",), numel=2))
add("storage_longer_than_record", with_tensor(numel=2**50))
add("storage_missing", with_tensor(key="7"), "data/7")
add("storage_outside", with_tensor(key="../../../../etc/passwd"))
add("storage_type_unknown", with_tensor(storage=Global("torch", "OddStorage")), exits=EITHER)
add("storage_type_no_global", with_tensor(storage=5))


# Modules and code ---------------------------------------------------------------------------------------------------
def with_code(body):
    return lambda: saved(graph_module(f"\n\n\ndef forward(self, x):\n    {body}\n    "))


add("code_missing", lambda: saved(Call(Global("torch.fx.graph_module", "reduce_graph_module"), (module_state(), IMPORTS))), "_code|code")
add("code_no_text", lambda: saved(graph_module(5)), "code")
add("code_empty", lambda: saved(graph_module("")))
add("code_without_forward", lambda: saved(graph_module("\n\n\ndef backward(self, x):\n    return x\n    ")), "forward")
add("code_does_not_parse", with_code("return (x"), "line|parse|bracket")
add("code_odd_words", with_code("return x x x"))
add("code_bad_indent", lambda: saved(graph_module("\n\n\ndef forward(self, x):\nreturn x\n")))
add("code_control_flow", with_code("while x:\n        x = x - 1\n    return x"), "while|control flow")
add("code_if_on_value", with_code("if x.sum() > 0:\n        return x\n    return -x"), "control flow|if|value")
add("code_unknown_name", with_code("return nowhere(x)"), "nowhere")
add("code_unknown_module", with_code("y = self.missing.layer(x)\n    return y"), "missing", EITHER)
add("code_unknown_attribute", with_code("y = self.missing\n    return y"), "missing", EITHER)
add("code_name_defined_twice", lambda: saved(graph_module("\n\n\ndef forward(self, x, x):\n    return x\n    ")), exits=EITHER)
add("code_parentheses_million", with_code("return " + "(" * MILLION + "x" + ")" * MILLION))
add("code_brackets_million", with_code("return " + "[" * MILLION + "]" * MILLION))
add("code_calls_100k_deep", with_code("return " + "torch.relu(" * 100_000 + "x" + ")" * 100_000))
add("code_minus_million", with_code("return " + "-" * MILLION + "x"))
add("code_dots_million", with_code("return x" + ".a" * MILLION), exits=EITHER)
add("code_plus_100k", with_code("return x" + " + x" * 100_000), exits=EITHER)
add("code_power_of_powers", with_code("y = 9 ** 9 ** 9 ** 9\n    return x + y"), exits=EITHER)
add("code_shift_far", with_code("y = 1 << 99999999999\n    return x + y"), exits=EITHER)
add("code_text_times_billion", with_code("y = 'a' * 99999999999\n    return x + y"), exits=EITHER)
add("code_list_times_billion", with_code("y = [0] * 99999999999\n    return x + y"), exits=EITHER)
add("code_range_billion", with_code("y = list(range(99999999999))\n    return x + y"), exits=EITHER)
add("code_digits_million", with_code("return x + " + "9" * MILLION), exits=EITHER)
add("code_line_20mb", with_code("return x  # " + "a" * 20_000_000), exits=EITHER)
add("code_text_doubles", with_code("y = (x, x)\n" + "    y = (y, y)\n" * 60 + "    return y"), exits=EITHER)
add("code_nul", with_code("return x\0"), exits=EITHER)
add("code_torn_utf8", lambda: saved(graph_module(Raw(b"X\x14\x00\x00\x00def f\xff\xffrward(self): \xc3"))))
add("code_lone_surrogate", with_code("return x + '\udc80'"), exits=EITHER)
add("state_no_dict", lambda: saved(Call(Global("torch.fx.graph_module", "reduce_graph_module"), (5, IMPORTS))))
add("state_short", lambda: saved(Call(Global("torch.fx.graph_module", "reduce_graph_module"), ())))
add("modules_no_dict", lambda: saved(graph_module(modules=5)))
add("module_no_module", lambda: saved(graph_module(modules={"linear": 5})), exits=EITHER)
add("module_name_with_dots", lambda: saved(graph_module(modules={"linear": linear(), "a.b..c": linear(), "": linear()})), exits=EITHER)
add("module_name_no_text", lambda: saved(graph_module(modules={"linear": linear(), 5: linear()})), exits=EITHER)
add("name_with_escapes", lambda: saved(graph_module(modules={"linear": linear(), "\x1b[31m\n\0": linear()})), exits=EITHER)
