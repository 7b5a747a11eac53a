# SPDX-License-Identifier: GPL-3.0-or-later
import re
import torch
from torch.fx import GraphModule
_abbreviations = {torch.bfloat16: 'bf16', torch.float64: 'f64', torch.float32: 'f32', torch.float16: 'f16',
                  torch.complex64: 'c64', torch.complex128: 'c128', torch.int8: 'i8', torch.int16: 'i16',
                  torch.int32: 'i32', torch.int64: 'i64', torch.bool: 'b8', torch.uint8: 'u8'}
def _annotation(node, include_stride, include_device):
    about = node.meta.get('val', node.meta.get('tensor_meta'))
    if getattr(about, 'dtype', None) not in _abbreviations:
        return None
    def listed(sizes): return '[' + ', '.join([str(each) for each in sizes]) + ']'
    out = _abbreviations[about.dtype] + listed(about.shape)
    if include_stride:
        out += listed(about.stride() if callable(about.stride) else about.stride)
    return out + (str(about.device) if include_device and hasattr(about, 'device') else '')
def _indented(text):
    first, *rest = text.split('\n')
    return '\n'.join([first] + ['    ' + line if line else line for line in rest])
def _body(module, include_stride, include_device):
    lines = module.code.lstrip('\n').split('\n')
    types = {node.name: _annotation(node, include_stride, include_device) for node in module.graph.nodes}
    inputs = [node.name for node in module.graph.nodes if node.op == 'placeholder']
    at = [place for place, line in enumerate(lines) if line.startswith('def forward')][0]
    for name in inputs:
        if types[name]:
            lines[at] = re.sub(r'(?<=[ *])' + name + r'(?=[,)= ])', name + f': "{types[name]}"', lines[at], count=1)
    calls = {node.name for node in module.graph.nodes if node.op not in ('placeholder', 'output')}
    out, noted = lines[:at + 1], False
    for line in lines[at + 1:]:
        name = line.strip().partition(' ')[0]
        if name in calls and line.strip().startswith(name + ' = '):
            if not noted:
                out.append('    # No stacktrace found for following nodes')
                noted = True
            if types[name]:
                line = line.replace(name + ' = ', f'{name}: "{types[name]}" = ', 1)
        out.append(line)
    return '\n'.join(out)
def readable(module, name, include_stride=False, include_device=False):
    out = _indented(f'class {name}(torch.nn.Module):\n' + _body(module, include_stride, include_device))
    parts = [''] + [readable(child, called, include_stride, include_device)
                    for called, child in module.named_children() if isinstance(child, GraphModule)]
    return out + _indented('\n'.join(parts))
