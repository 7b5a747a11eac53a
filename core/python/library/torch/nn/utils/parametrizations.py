# SPDX-License-Identifier: GPL-3.0-or-later
# Names that models, state dicts and messages show are PyTorch's; values are computed by the same operators, so that
# weights are equal bit for bit.
import torch
import torch.nn.functional as F
from enum import Enum, auto
from torch import Tensor
from torch.nn import Module
from torch.nn.utils.parametrize import register_parametrization
from torch.nn.utils.spectral_norm import _check_iterations, _drawn, _rows_at, _rows_first
def _weight_of(module, name):
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight
def _diagonal(matrix): return matrix.diagonal(dim1=-2, dim2=-1)
def _with_diagonal(matrix, values): return torch.diagonal_scatter(matrix, values, 0, -2, -1)
def _one_like(matrix): return torch.eye(matrix.size(-1), dtype=matrix.dtype)
def _is_orthogonal(matrix):
    slack = 10.0 * matrix.size(-2) * torch.finfo(matrix.dtype).eps
    return bool(torch.allclose(matrix.mH @ matrix, _one_like(matrix), atol=slack))
# The orthogonal part of a matrix, such that the triangular one has a positive diagonal.
def _orthogonal_part(matrix):
    packed, scales = torch.geqrf(matrix)
    return torch.linalg.householder_product(packed, scales) * _diagonal(packed).sgn().unsqueeze(-2)
class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()
class _Orthogonal(Module):
    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError('The householder parametrization does not support complex tensors.')
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        self._map = orthogonal_map.name  # what runs the model reads numbers and text only
        if use_trivialization:
            self.register_buffer('base', None)
    # The maps make columns: a wide matrix is turned before and after.
    def forward(self, X):
        wide = X.size(-2) < X.size(-1)
        tall = X.mT if wide else X
        made = self._reflected(tall) if self.orthogonal_map == _OrthMaps.householder else self._rotated(tall)
        if hasattr(self, 'base'):
            made = self.base @ made
        return made.mT if wide else made
    def _reflected(self, tall):
        reflectors = tall.tril(diagonal=-1)
        scales = 2.0 / (1.0 + (reflectors * reflectors).sum(dim=-2))
        return torch.linalg.householder_product(reflectors, scales) * _diagonal(tall).int().unsqueeze(-2)
    def _rotated(self, tall):
        columns, missing = tall.size(-1), tall.size(-2) - tall.size(-1)
        lower = tall.tril()
        if missing:
            lower = F.pad(lower, (0, missing))
        skew = lower - lower.mH
        if self.orthogonal_map == _OrthMaps.matrix_exp:
            turn = torch.matrix_exp(skew)
        else:
            one = _one_like(skew)
            turn = torch.linalg.solve(torch.add(one, skew, alpha=-0.5), torch.add(one, skew, alpha=0.5))
        return turn[..., :columns] if missing else turn
    def right_inverse(self, Q):
        if Q.shape != self.shape:
            raise ValueError(f'Expected a matrix or batch of matrices of shape {self.shape}. '
                             f'Got a tensor of shape {Q.shape}.')
        wide = Q.size(-2) < Q.size(-1)
        tall = Q.mT if wide else Q
        if hasattr(self, 'base'):
            self.base = self._square(tall)
            return _with_diagonal(torch.zeros_like(Q), torch.full_like(_diagonal(Q), -1.0))
        if self.orthogonal_map != _OrthMaps.householder:
            raise NotImplementedError('It is not possible to assign to the matrix exponential or the Cayley '
                                      'parametrizations when use_trivialization=False.')
        packed, scales = torch.geqrf(tall)
        signs = _diagonal(packed).sign()
        packed = _with_diagonal(packed, torch.where(scales == 0.0, -signs, signs))
        return packed.mT if wide else packed
    # An orthogonal matrix that begins with these columns.
    def _square(self, tall):
        rows, columns = tall.size(-2), tall.size(-1)
        if rows == columns:
            return tall.clone() if _is_orthogonal(tall) else _orthogonal_part(tall)
        others = torch.randn(*(tall.size()[:-2] + (rows, rows - columns)), dtype=tall.dtype)
        return _orthogonal_part(torch.cat([tall, others], dim=-1))
def orthogonal(module, name='weight', orthogonal_map=None, *, use_trivialization=True):
    weight = _weight_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f'Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.')
    if orthogonal_map is None:
        exact = weight.size(-2) == weight.size(-1) or weight.is_complex()
        orthogonal_map = 'matrix_exp' if exact else 'householder'
    if orthogonal_map not in [each.name for each in _OrthMaps]:
        raise ValueError('orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
                         f'Got: {orthogonal_map}')
    made = _Orthogonal(weight, _OrthMaps[orthogonal_map], use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)
class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = dim if dim is not None else -1
    def forward(self, weight_g, weight_v): return torch._weight_norm(weight_v, weight_g, self.dim)
    def right_inverse(self, weight): return torch.norm_except_dim(weight, 2, self.dim), weight
def weight_norm(module, name='weight', dim=0):
    return register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
class _SpectralNorm(Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        rank = weight.ndim
        if not -rank <= dim < rank:
            raise IndexError(f'Dimension out of range (expected to be in range of [-{rank}, {rank - 1}] but got {dim})')
        _check_iterations(n_power_iterations)
        self.dim, self.eps = dim % rank, eps
        if rank > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight)
            u, v = _drawn(matrix, 0, eps), _drawn(matrix, 1, eps)
            self.register_buffer('_u', u)
            self.register_buffer('_v', v)
            self._iterate(matrix, 15)
    def _matrix(self, weight): return _rows_first(weight, self.dim).flatten(1)
    def _iterate(self, matrix, count):
        with torch.no_grad():
            for _ in range(count):
                self._u = F.normalize(torch.mv(matrix, self._v), dim=0, eps=self.eps)
                self._v = F.normalize(torch.mv(matrix.H, self._u), dim=0, eps=self.eps)
    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = [each.clone(memory_format=torch.contiguous_format) for each in (self._u, self._v)]
        return weight / torch.vdot(u, torch.mv(matrix, v))
    def right_inverse(self, value): return value
def spectral_norm(module, name='weight', n_power_iterations=1, eps=1e-12, dim=None):
    made = _SpectralNorm(_weight_of(module, name), n_power_iterations, _rows_at(module, dim), eps)
    return register_parametrization(module, name, made)
