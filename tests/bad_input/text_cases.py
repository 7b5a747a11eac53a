# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions (.json with .safetensors), exported programs and folders that are wrong."""

import json
import struct

from archives import Member, archive
from cases import EITHER, add, case
from pickles import CODE

MILLION = 1_000_000


def description(data, says="", exits=(3,), name=None):
    add(name, lambda: data if isinstance(data, bytes) else json.dumps(data).encode(), says, exits, ".json")


def with_nodes(*nodes):
    return {"lancet_ir": 1, "graph": {"nodes": list(nodes)}, "nodes": list(nodes)}


X = {"name": "x", "op": "placeholder", "target": "x"}

description({}, name="json_empty_object")
description([], name="json_list")
description(b"", name="json_empty_file")
description(b"{", name="json_cut", says="line 1")
description(b'{"lancet_ir": 1, "graph": }', name="json_syntax", says="line 1")
description(b'{"lancet_ir": 1}\xff\xfe', name="json_garbage_after")
description(b'{"lancet_ir": "\xff\xfe"}', name="json_not_utf8")
description({"lancet_ir": 999}, name="json_other_version")
description({"lancet_ir": "one"}, name="json_version_no_number")
description(b'{"lancet_ir": 1, "a": ' + b"[" * MILLION + b"]" * MILLION + b"}", name="json_million_deep")
description(b"[" * MILLION, name="json_million_open")
description(b'{"a":' * MILLION, name="json_million_open_objects")
description(b'{"lancet_ir": 1, "nodes": ' + b"9" * MILLION + b"}", name="json_million_digits")
description(b'{"lancet_ir": 1, "nodes": 1e999999}', name="json_huge_number")
description({"lancet_ir": 1, "graph": 5, "nodes": 5, "module": 5}, name="json_parts_wrong")
description(with_nodes(5), name="json_node_no_object")
description(with_nodes({"name": "x", "op": "jump", "target": "x"}), name="json_unknown_op")
description(with_nodes({"op": "placeholder"}), name="json_node_without_target")


@case("x", suffix=".json")
def json_names_twice():
    return edited_description(lambda nodes: nodes.insert(1, nodes[0]))


@case(suffix=".json")
def json_unknown_argument():
    return edited_description(lambda nodes: nodes[-1].update(args=[{"node": "nowhere"}]))


@case(suffix=".json")
def json_argument_of_itself():
    return edited_description(lambda nodes: nodes[1].update(args=[{"node": nodes[1]["name"]}]))


@case(suffix=".json")
def json_argument_odd():
    return edited_description(lambda nodes: nodes[1].update(args=[{"knot": "x"}]))


@case(suffix=".json", exits=EITHER)
def json_arguments_100k_deep():
    text = edited_description(lambda nodes: nodes[1].update(args=["@"]))
    return text.replace(b'"@"', b"[" * 100_000 + b"]" * 100_000)


def edited_description(edit):
    """A description that lancet itself wrote, with one thing changed."""
    whole = json.loads(edited_description.source.read_text())
    nodes = whole["nodes"] if "nodes" in whole else whole["graph"]["nodes"]
    edit(nodes)
    return json.dumps(whole).encode()


# Weights beside a description ----------------------------------------------------------------------------------------
def weights_case(name, change):
    def write(path):
        path.write_bytes(edited_description.source.read_bytes())
        weights = edited_description.source.with_suffix(".safetensors").read_bytes()
        path.with_suffix(".safetensors").write_bytes(change(weights))
    case(name=name, suffix=".json")(write)


def with_header(change):
    """Changes the header's JSON and keeps the payload."""
    def changed(weights):
        length = struct.unpack("<Q", weights[:8])[0]
        header = json.loads(weights[8:8 + length])
        change(header)
        text = json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + weights[8 + length:]
    return changed


def each_entry(**fields):
    return with_header(lambda header: [entry.update(fields) for key, entry in header.items() if key != "__metadata__"])


weights_case("weights_empty", lambda weights: b"")
weights_case("weights_header_2_to_63", lambda weights: struct.pack("<Q", 2**63 - 1) + weights[8:])
weights_case("weights_header_longer_than_file", lambda weights: struct.pack("<Q", len(weights)) + weights[8:])
weights_case("weights_header_no_json", lambda weights: struct.pack("<Q", 4) + b"{{{{" + weights[12:])
weights_case("weights_cut", lambda weights: weights[:-5])
weights_case("weights_offsets_past_end", each_entry(data_offsets=[0, 2**60]))
weights_case("weights_offsets_backwards", each_entry(data_offsets=[8, 0]))
weights_case("weights_offsets_negative", each_entry(data_offsets=[-8, 0]))
weights_case("weights_offsets_odd", each_entry(data_offsets="all"))
weights_case("weights_sizes_negative", each_entry(shape=[-1]))
weights_case("weights_sizes_overflow", each_entry(shape=[2**40, 2**40]))
weights_case("weights_unknown_dtype", each_entry(dtype="F7"))
weights_case("weights_names_missing", with_header(lambda header: header.clear()))


@case("safetensors", suffix=".json")
def weights_file_missing(path):
    path.write_bytes(edited_description.source.read_bytes())


# Exported programs ----------------------------------------------------------------------------------------------------
def program(model, extra=()):
    return archive([Member("m/archive_format", b"pt2"), Member("m/archive_version", b"0"), Member("m/.data/version", b"6\n"),
                    Member("m/models/model.json", model), *extra])


GRAPH = {"inputs": [], "outputs": [], "nodes": [], "tensor_values": {}, "sym_int_values": {}, "sym_bool_values": {}}


def model_json(graph=None, major=8, **signature):
    return json.dumps({"graph_module": {"graph": {**GRAPH, **(graph or {})},
                                        "signature": {"input_specs": [], "output_specs": [], **signature},
                                        "module_call_graph": []},
                       "opset_version": {"aten": 10}, "range_constraints": {},
                       "schema_version": {"major": major, "minor": 20}, "torch_version": "2.13.0"}).encode()


def configs(weights):
    config = json.dumps({"config": weights}).encode()
    empty = json.dumps({"config": {}}).encode()
    return [Member("m/data/weights/model_weights_config.json", config),
            Member("m/data/constants/model_constants_config.json", empty), Member("m/data/weights/weight_0", bytes(8))]


def weight(**meta):
    return {"w": {"path_name": meta.pop("path_name", "weight_0"), "is_param": True, "use_pickle": False, "tensor_meta": {
        "dtype": 7, "sizes": [{"as_int": 2}], "requires_grad": True, "device": {"type": "cpu", "index": None},
        "strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7, **meta}}}


def exported(name, data, says="", exits=(3,)):
    add(name, lambda: data, says, exits, ".pt2")


PARAMETER = {"inputs": [{"as_tensor": {"name": "p_w"}}], "outputs": [{"as_tensor": {"name": "p_w"}}],
             "tensor_values": {"p_w": weight()["w"]["tensor_meta"]}}
SIGNATURE = {"input_specs": [{"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}}],
             "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "p_w"}}}}]}

exported("pt2_no_model", archive([Member("m/archive_format", b"pt2"), Member("m/archive_version", b"0")]))
exported("pt2_other_schema", program(model_json(major=9), configs({})), "schema|version")
exported("pt2_json_cut", program(model_json()[:-20], configs({})))
exported("pt2_json_million_deep", program(b"[" * MILLION, configs({})))
exported("pt2_json_no_object", program(b"5", configs({})))
exported("pt2_json_empty", program(b"{}", configs({})))
exported("pt2_compiled_package", archive([Member("m/archive_format", b"pt2"), Member("m/data/aotinductor/model/x.so", b"\x7fELF")]))
exported("pt2_graph_no_object", program(model_json().replace(b'"nodes": []', b'"nodes": 5'), configs({})))
exported("pt2_node_wrong", program(model_json({"nodes": [{"target": 5}]}), configs({})))
exported("pt2_unknown_value", program(model_json({"outputs": [{"as_tensor": {"name": "nowhere"}}]}), configs({})), exits=EITHER)
exported("pt2_names_twice", program(model_json({"inputs": [{"as_tensor": {"name": "x"}}] * 2}), configs({})), exits=EITHER)
exported("pt2_weight_offset_past_end", program(model_json(PARAMETER, **SIGNATURE), configs(weight(storage_offset={"as_int": 2**50}))))
exported("pt2_weight_sizes_past_end", program(model_json(PARAMETER, **SIGNATURE), configs(weight(sizes=[{"as_int": 2**40}]))))
exported("pt2_weight_sizes_negative", program(model_json(PARAMETER, **SIGNATURE), configs(weight(sizes=[{"as_int": -4}]))))
exported("pt2_weight_record_missing", program(model_json(PARAMETER, **SIGNATURE), configs(weight(path_name="weight_9"))))
exported("pt2_weight_record_outside", program(model_json(PARAMETER, **SIGNATURE), configs(weight(path_name="../../../etc/passwd"))))
exported("pt2_subgraphs_deep", program(
    model_json().replace(b'"nodes": []', b'"nodes": [{"target": "torch.ops.higher_order.cond", "outputs": [], "metadata": {}, "inputs": '
                         b'[{"name": "", "arg": {"as_graph": {"name": "g", "graph": ' * 20_000), configs({})))


# Folders ----------------------------------------------------------------------------------------------------------------
MODULE = ("\nimport torch\nfrom torch.nn import *\nclass FxModule(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
          "        setattr(self, 'linear', %s)\n        setattr(self, 'weight', torch.nn.Parameter(torch.empty([2], dtype=torch.float32)))\n"
          "        self.load_state_dict(torch.load(r'state_dict.pt'))\n" + CODE.replace("\n", "\n    "))


def folder(name, files, says="", exits=(3,)):
    def write(path):
        path.mkdir()
        for file, content in files.items():
            (path / file).write_bytes(content)
    case(says, exits, "", name)(write)


folder("folder_without_weights", {"module.py": (MODULE % "Linear(in_features=2, out_features=2)").encode()}, "state_dict", EITHER)
folder("folder_weights_no_zip", {"module.py": (MODULE % "Linear(in_features=2, out_features=2)").encode(), "state_dict.pt": b"x"})
folder("folder_no_class", {"module.py": b"import torch\n"})
folder("folder_module_no_text", {"module.py": b"\xff\xfe\x00\x00" * 100})
folder("folder_module_runs_code", {"module.py": b"import os\nos.system('touch lancet_code_ran')\n"})
folder("folder_child_runs_code", {"module.py": (MODULE % "__import__('os').system('touch lancet_code_ran')").encode()}, exits=EITHER)
folder("folder_child_outside", {"module.py": (MODULE % "torch.load(r'../../../../etc/passwd', weights_only=False)").encode()}, exits=EITHER)
