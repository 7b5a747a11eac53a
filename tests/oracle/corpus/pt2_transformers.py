# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of the transformers library with small random configurations, exported. Left out where it is not installed."""

import functools

import torch
import transformers

SMALL = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 60,
         "max_position_embeddings": 32}
GROUPED = {**SMALL, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4}
IMAGE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32, "image_size": 32,
         "patch_size": 8}
GPT = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 32, "vocab_size": 60, "use_cache": False}


def ids(length=8):
    return lambda: {"input_ids": torch.randint(1, 50, (2, length)), "attention_mask": torch.ones(2, length, dtype=torch.long)}


def only_ids():
    return {"input_ids": torch.randint(1, 50, (2, 8))}


def both():
    return {"input_ids": torch.randint(1, 50, (2, 8)), "decoder_input_ids": torch.randint(1, 50, (2, 6))}


def pixels(size=32):
    return lambda: {"pixel_values": torch.randn(1, 3, size, size)}


CASES = {
    "bert": ("BertModel", SMALL, ids()), "bert_masked": ("BertForMaskedLM", SMALL, ids()),
    "bert_classes": ("BertForSequenceClassification", SMALL, ids()), "roberta": ("RobertaModel", SMALL, ids()),
    "distilbert": ("DistilBertModel", {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32, "vocab_size": 60}, ids()),
    "albert": ("AlbertModel", {**SMALL, "embedding_size": 8}, ids()),
    "electra": ("ElectraModel", {**SMALL, "embedding_size": 8}, ids()), "mpnet": ("MPNetModel", SMALL, ids()),
    "deberta": ("DebertaV2Model", {**SMALL, "relative_attention": False}, ids()),
    "gpt2": ("GPT2LMHeadModel", GPT, only_ids), "gpt2_mask": ("GPT2Model", GPT, ids()),
    "gpt_neox": ("GPTNeoXForCausalLM", {**SMALL, "use_cache": False}, only_ids),
    "opt": ("OPTForCausalLM", {**SMALL, "ffn_dim": 32, "word_embed_proj_dim": 16, "use_cache": False}, ids()),
    "bloom": ("BloomForCausalLM", {"hidden_size": 16, "n_layer": 2, "n_head": 2, "vocab_size": 60, "use_cache": False}, ids()),
    "llama": ("LlamaForCausalLM", {**GROUPED, "use_cache": False}, only_ids),
    "llama_mask": ("LlamaModel", {**GROUPED, "use_cache": False}, ids()),
    "mistral": ("MistralForCausalLM", {**GROUPED, "use_cache": False}, only_ids),
    "qwen2": ("Qwen2ForCausalLM", {**GROUPED, "use_cache": False}, only_ids),
    "qwen3": ("Qwen3ForCausalLM", {**GROUPED, "use_cache": False}, only_ids),
    "gemma": ("GemmaForCausalLM", {**GROUPED, "use_cache": False}, only_ids),
    "phi": ("PhiForCausalLM", {**SMALL, "use_cache": False}, only_ids),
    "t5": ("T5Model", {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2, "vocab_size": 60,
                       "use_cache": False}, both),
    "bart": ("BartModel", {"d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2,
                           "decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "vocab_size": 60,
                           "max_position_embeddings": 32, "use_cache": False}, both),
    "vit": ("ViTModel", IMAGE, pixels()), "vit_classes": ("ViTForImageClassification", IMAGE, pixels()),
    "deit": ("DeiTModel", IMAGE, pixels()), "beit": ("BeitModel", IMAGE, pixels()), "dinov2": ("Dinov2Model", IMAGE, pixels()),
    "swin": ("SwinModel", {"image_size": 32, "patch_size": 4, "embed_dim": 8, "depths": [1, 2], "num_heads": [2, 2],
                           "window_size": 4}, pixels()),
    "convnext": ("ConvNextModel", {"hidden_sizes": [4, 8, 8, 8], "depths": [1, 1, 2, 1], "num_stages": 4}, pixels(64)),
    "resnet": ("ResNetModel", {"embedding_size": 4, "hidden_sizes": [8, 8, 8, 8], "depths": [1, 1, 1, 1]}, pixels(64)),
    "segformer": ("SegformerModel", {"hidden_sizes": [8, 8, 8, 8], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 1, 2, 2],
                                     "decoder_hidden_size": 8}, pixels(64)),
    "mobilevit": ("MobileViTModel", {"hidden_sizes": [8, 8, 8], "neck_hidden_sizes": [4, 4, 8, 8, 8, 8, 8],
                                     "num_attention_heads": 2, "image_size": 64}, pixels(64)),
    "clip_text": ("CLIPTextModel", {**SMALL, "eos_token_id": 59, "bos_token_id": 58, "pad_token_id": 0}, only_ids),
    "clip_vision": ("CLIPVisionModel", IMAGE, pixels()),
    "whisper_encoder": ("WhisperModel", {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2,
                                         "decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32,
                                         "vocab_size": 60, "num_mel_bins": 8, "max_source_positions": 16,
                                         "max_target_positions": 16, "use_cache": False, "pad_token_id": 0, "bos_token_id": 1,
                                         "eos_token_id": 2, "decoder_start_token_id": 1},
                        lambda: {"input_features": torch.randn(1, 8, 32), "decoder_input_ids": torch.randint(3, 50, (1, 4))}),
    "wav2vec2": ("Wav2Vec2Model", {**SMALL, "conv_dim": [8, 8], "conv_stride": [5, 2], "conv_kernel": [10, 3],
                                   "num_feat_extract_layers": 2, "num_conv_pos_embeddings": 4,
                                   "num_conv_pos_embedding_groups": 2},
                 lambda: {"input_values": torch.randn(1, 400)}),
    "mixtral": ("MixtralForCausalLM", {**GROUPED, "num_local_experts": 2, "use_cache": False}, only_ids),
}
DYNAMIC = ["bert", "gpt2", "llama", "distilbert", "vit"]
DECOMPOSED = ["bert", "llama", "vit", "t5"]


def export(case, dynamic=False, decomposed=False):
    name, settings, inputs = CASES[case]
    cls = getattr(transformers, name)
    model = cls(cls.config_class(**settings)).eval()
    kwargs = inputs()
    shapes = {key: {0: torch.export.Dim.AUTO, **({1: torch.export.Dim.AUTO} if value.ndim == 2 else {})}
              for key, value in kwargs.items()} if dynamic else None
    program = torch.export.export(model, (), kwargs, dynamic_shapes=shapes, strict=False)
    return program.run_decompositions() if decomposed else program


def register_containers(names):
    """Importing a model's class registers what it returns."""
    for name in names:
        getattr(transformers, CASES[name.removesuffix("_dynamic").removesuffix("_decomposed")][0])


def items():
    made = {name: functools.partial(export, name) for name in CASES}
    made |= {f"{name}_dynamic": functools.partial(export, name, dynamic=True) for name in DYNAMIC}
    return made | {f"{name}_decomposed": functools.partial(export, name, decomposed=True) for name in DECOMPOSED}
