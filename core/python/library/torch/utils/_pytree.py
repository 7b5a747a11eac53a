# SPDX-License-Identifier: GPL-3.0-or-later
from collections import OrderedDict, defaultdict, deque
class TreeSpec:
    def __init__(self, type, context, children_specs):
        self.type, self.context, self.children_specs = type, context, children_specs
        self.num_leaves = 1 if type is None else sum([each.num_leaves for each in children_specs])
        self.num_children = len(children_specs)
    def is_leaf(self): return self.type is None
    def unflatten(self, leaves): return tree_unflatten(leaves, self)
    def __eq__(self, other):
        return (isinstance(other, TreeSpec) and self.type is other.type and self.context == other.context and
                self.children_specs == other.children_specs)
    def __repr__(self):
        if self.type is None:
            return '*'
        return f'TreeSpec({self.type.__name__}, {self.context}, {self.children_specs})'
LeafSpec = TreeSpec
# (to children and context, back) by class; objects of classes derived from these are leaves.
_nodes = {
    tuple: (lambda tree: (list(tree), None), lambda children, context: tuple(children)),
    list: (lambda tree: (list(tree), None), lambda children, context: list(children)),
    dict: (lambda tree: (list(tree.values()), list(tree)), lambda children, context: dict(zip(context, children))),
    OrderedDict: (lambda tree: (list(tree.values()), list(tree)),
                  lambda children, context: OrderedDict(zip(context, children))),
    defaultdict: (lambda tree: (list(tree.values()), [tree.default_factory, list(tree)]),
                  lambda children, context: defaultdict(context[0], zip(context[1], children))),
    deque: (lambda tree: (list(tree), tree.maxlen), lambda children, context: deque(children, maxlen=context)),
}
def register_pytree_node(cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None,
                         from_dumpable_context=None, flatten_with_keys_fn=None):
    if cls in _nodes:
        raise ValueError(f'{cls} is already registered as pytree node.')
    _nodes[cls] = flatten_fn, unflatten_fn
def _parts(tree):
    if type(tree) in _nodes:
        return _nodes[type(tree)][0](tree)
    return (list(tree), None) if isinstance(tree, tuple) and hasattr(tree, '_fields') else (None, None)
def tree_flatten(tree, is_leaf=None):
    children, context = (None, None) if is_leaf is not None and is_leaf(tree) else _parts(tree)
    if children is None:
        return [tree], TreeSpec(None, None, [])
    leaves, specs = [], []
    for child in children:
        more, spec = tree_flatten(child, is_leaf)
        leaves.extend(more)
        specs.append(spec)
    return leaves, TreeSpec(type(tree), context, specs)
def tree_unflatten(leaves, treespec):
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(f'treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a '
                         f'pytree that holds {treespec.num_leaves} items ({treespec}).')
    if treespec.is_leaf():
        return leaves[0]
    children, at = [], 0
    for spec in treespec.children_specs:
        children.append(tree_unflatten(leaves[at:at + spec.num_leaves], spec))
        at += spec.num_leaves
    kind = treespec.type
    return _nodes[kind][1](children, treespec.context) if kind in _nodes else kind(*children)
def tree_leaves(tree, is_leaf=None): return tree_flatten(tree, is_leaf)[0]
tree_iter = tree_leaves
def tree_structure(tree, is_leaf=None): return tree_flatten(tree, is_leaf)[1]
def tree_map(func, tree, *rests, is_leaf=None):
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [tree_flatten(rest, is_leaf)[0] for rest in rests]
    return tree_unflatten([func(*each) for each in zip(leaves, *others)], spec)
def tree_map_(func, tree, *rests, is_leaf=None):
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree
def tree_map_only(types, func, tree, is_leaf=None):
    fits = types if not isinstance(types, (type, tuple)) and callable(types) else lambda each: isinstance(each, types)
    return tree_map(lambda each: func(each) if fits(each) else each, tree, is_leaf=is_leaf)
def tree_all(pred, tree, is_leaf=None): return all([pred(each) for each in tree_leaves(tree, is_leaf)])
def tree_any(pred, tree, is_leaf=None): return any([pred(each) for each in tree_leaves(tree, is_leaf)])
def tree_all_only(types, pred, tree, is_leaf=None):
    return all([pred(each) for each in tree_leaves(tree, is_leaf) if isinstance(each, types)])
def tree_any_only(types, pred, tree, is_leaf=None):
    return any([pred(each) for each in tree_leaves(tree, is_leaf) if isinstance(each, types)])
