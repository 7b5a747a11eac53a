
import torch
from math import inf
from math import nan
NoneType = type(None)
import torch
from torch import device
import torch.fx._pytree as fx_pytree
import torch.utils._pytree as pytree

from torch.nn import *
class Folded(torch.nn.Module):
    def __init__(self):
        super().__init__()
        setattr(self, 'conv', Conv2d(3, 4, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), dilation=(2, 2), bias=False))
        setattr(self, 'bn', BatchNorm2d(4, eps=1e-05, momentum=None, affine=True, bias=True, track_running_stats=True))
        setattr(self, 'relu', torch.load(r'folder/relu.pt', weights_only=False)) # ReLU(inplace=True)
        setattr(self, 'lin', Linear(in_features=4, out_features=5, bias=False))
        setattr(self, 'own', torch.load(r'folder/own.pt', weights_only=False)) # Unknown(   (inner): Linear(in_features=2, out_features=2, bias=True) )
        self.register_buffer('table', torch.empty([1, 5], dtype=torch.int64))
        setattr(self, 'w', torch.nn.Parameter(torch.empty([5], dtype=torch.float16)))
        self.load_state_dict(torch.load(r'folder/state_dict.pt'))



    def forward(self, x, y : int = 3):
        conv = self.conv(x);  x = None
        bn = self.bn(conv);  conv = None
        relu = self.relu(bn);  bn = None
        mean = relu.mean((2, 3));  relu = None
        lin = self.lin(mean);  mean = None
        w = self.w
        mul = lin * w;  lin = w = None
        table = self.table
        add = mul + table;  mul = table = None
        add_1 = add + y;  add = y = None
        return add_1

