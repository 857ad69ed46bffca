#!/usr/bin/env python3
"""Writes what transformers makes of some config.json files: configs.json, state_dicts.json, rotary.json beside this file.

    HF_HUB_OFFLINE=1 python make_reference.py

Made with torch 2.13.0 and transformers 5.24.0.
"""
import json
import tempfile
from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM

HERE = Path(__file__).parent
SMALL = dict(vocab_size=96, hidden_size=32, intermediate_size=80, num_hidden_layers=3, num_attention_heads=4,
             num_key_value_heads=2)
OLD_LLAMA = dict(SMALL, model_type="llama", architectures=["LlamaForCausalLM"], hidden_act="silu", use_cache=True,
                 rope_theta=500000.0, torch_dtype="bfloat16", transformers_version="4.40.0", pretraining_tp=2,
                 rope_scaling=dict(type="linear", factor=4.0), max_position_embeddings=4096, rms_norm_eps=1e-5,
                 bos_token_id=1, eos_token_id=[7, 8], tie_word_embeddings=False)

# Name -> config.json as given.
CONFIGS = {
    "llama-defaults": dict(model_type="llama"),
    "qwen2-defaults": dict(model_type="qwen2"),
    "qwen3-defaults": dict(model_type="qwen3"),
    "llama-old-spelling": OLD_LLAMA,
    "llama-null-kv-heads": dict(SMALL, model_type="llama", num_key_value_heads=None, head_dim=None),
    "llama-biases": dict(SMALL, model_type="llama", attention_bias=True, mlp_bias=True, head_dim=6, pad_token_id=3,
                         attention_dropout=0.1, initializer_range=0.05),
    "llama-negative-pad": dict(SMALL, model_type="llama", pad_token_id=-1, eos_token_id=None),
    "qwen2-small": dict(SMALL, model_type="qwen2", dtype="float16"),
    "qwen2-head-dim": dict(SMALL, model_type="qwen2", head_dim=6, tie_word_embeddings=True),
    "qwen2-windows": dict(SMALL, model_type="qwen2", use_sliding_window=True, sliding_window=8, max_window_layers=1),
    "qwen3-small": dict(SMALL, model_type="qwen3", head_dim=12),
    "qwen3-tied-biased": dict(SMALL, model_type="qwen3", head_dim=16, tie_word_embeddings=True, attention_bias=True),
    "qwen3-window-off": dict(SMALL, model_type="qwen3", use_sliding_window=False, sliding_window=8,
                             max_window_layers=0),
    "qwen3-layer-types": dict(SMALL, model_type="qwen3", use_sliding_window=True, sliding_window=5, layer_types=[
        "sliding_attention", "full_attention", "sliding_attention"]),
    "qwen3-both-dtypes": dict(SMALL, model_type="qwen3", dtype="float32", torch_dtype="bfloat16"),
    "rope-scaling-wins": dict(SMALL, model_type="qwen3", rope_parameters=dict(rope_type="default", rope_theta=7.0),
                              rope_scaling=dict(type="dynamic", factor=2.0), rope_theta=900.0),
    "rope-inner-theta-wins": dict(SMALL, model_type="qwen3", rope_theta=900.0,
                                  rope_parameters=dict(rope_type="default", rope_theta=700.0)),
    "rope-original-outside": dict(SMALL, model_type="llama", original_max_position_embeddings=512,
                                  max_position_embeddings=2048,
                                  rope_parameters=dict(rope_type="yarn", factor=4.0,
                                                       original_max_position_embeddings=256)),
    "rope-original-absent": dict(SMALL, model_type="qwen2", max_position_embeddings=2048, rope_theta=1e6,
                                 rope_scaling=dict(rope_type="yarn", factor=4.0)),
}
# Those again as transformers itself writes them.
REWRITTEN = ["llama-old-spelling", "llama-biases", "qwen2-windows", "qwen3-tied-biased", "rope-original-absent"]

LLAMA3 = dict(rope_type="llama3", rope_theta=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=8192)
YARN = dict(rope_type="yarn", rope_theta=1e6, factor=4.0, original_max_position_embeddings=4096)
# Name -> (max_position_embeddings, head_dim, rope_parameters, sequence length or None).
ROPES = {
    "default": (4096, 64, dict(rope_type="default", rope_theta=10000.0), None),
    "default-large-theta": (4096, 128, dict(rope_type="default", rope_theta=5e6), None),
    "linear": (4096, 64, dict(rope_type="linear", rope_theta=10000.0, factor=3.0), None),
    "dynamic-short": (4096, 64, dict(rope_type="dynamic", rope_theta=10000.0, factor=2.0), 4096),
    "dynamic-long": (4096, 64, dict(rope_type="dynamic", rope_theta=10000.0, factor=2.0), 9000),
    "yarn": (16384, 128, YARN, None),
    "yarn-not-truncated": (16384, 128, dict(YARN, truncate=False), None),
    "yarn-betas": (16384, 64, dict(YARN, beta_fast=16.0, beta_slow=2.0), None),
    "yarn-mscale": (16384, 64, dict(YARN, factor=40.0, mscale=1.0, mscale_all_dim=0.7), None),
    "yarn-attention-factor": (16384, 64, dict(YARN, attention_factor=1.25), None),
    "yarn-factor-null": (12288, 64, dict(YARN, factor=None), None),
    "llama3": (131072, 128, LLAMA3, None),
    "llama3-narrow": (131072, 64, dict(LLAMA3, factor=32.0, rope_theta=10000.0), None),
}


def load(given):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(given))
        return AutoConfig.from_pretrained(folder)


def build(config):
    with torch.device("meta"):
        return AutoModelForCausalLM.from_config(config)


def first(value):
    return value[0] if isinstance(value, list) else value


def describe(config):
    """The values that DecoderSpec holds, read off a model of one or more layers."""
    model = build(config)
    attention = model.model.layers[0].self_attn
    mlp = model.model.layers[0].mlp
    rope = config.rope_parameters
    return dict(
        family=config.model_type, vocab_size=config.vocab_size, hidden_size=config.hidden_size,
        intermediate_size=config.intermediate_size, num_layers=config.num_hidden_layers,
        num_heads=config.num_attention_heads, num_key_value_heads=config.num_key_value_heads,
        head_dim=attention.head_dim, max_position_embeddings=config.max_position_embeddings,
        rms_norm_eps=config.rms_norm_eps, initializer_range=config.initializer_range,
        attention_dropout=config.attention_dropout, tie_word_embeddings=config.tie_word_embeddings,
        qkv_bias=attention.q_proj.bias is not None, output_bias=attention.o_proj.bias is not None,
        mlp_bias=mlp.down_proj.bias is not None, qk_norm=hasattr(attention, "q_norm"),
        layer_windows=[getattr(layer.self_attn, "sliding_window", None) or 0 for layer in model.model.layers],
        rope_type=rope["rope_type"], rope_theta=rope["rope_theta"], rope_factor=rope.get("factor", 1.0),
        original_max_position_embeddings=rope.get("original_max_position_embeddings"),
        bos_token_id=first(config.bos_token_id), eos_token_id=first(config.eos_token_id),
        pad_token_id=model.model.embed_tokens.padding_idx,
        torch_dtype=str(config.dtype).removeprefix("torch.") if config.dtype else "float32")


def state_dict_of(config):
    model = build(config)
    shared = {}
    parameters = []
    tied = []
    for name, tensor in model.state_dict(keep_vars=True).items():
        if id(tensor) in shared:
            tied.append([name, shared[id(tensor)]])
        else:
            shared[id(tensor)] = name
            parameters.append([name, list(tensor.shape)])
    return dict(parameters=parameters, tied=tied)


def frequencies(max_positions, head_dim, rope, sequence_length):
    config = AutoConfig.for_model("qwen3", **dict(SMALL, head_dim=head_dim, max_position_embeddings=max_positions,
                                                  rope_parameters=dict(rope)))
    rotary = AutoModelForCausalLM.from_config(config).model.rotary_emb
    if sequence_length:
        rotary(torch.zeros(1), torch.arange(sequence_length)[None])
    return dict(max_position_embeddings=max_positions, head_dim=head_dim, rope_parameters=rope,
                sequence_length=sequence_length or 16, inv_freq=rotary.inv_freq.tolist(),
                attention_scaling=rotary.attention_scaling)


def write(name, value):
    text = ",\n".join(f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in value.items())
    (HERE / name).write_text("{\n" + text + "\n}\n")


def main():
    configs = {name: dict(given=given, expected=describe(load(given))) for name, given in CONFIGS.items()}
    for name in REWRITTEN:
        given = json.loads(load(CONFIGS[name]).to_json_string(use_diff=False))
        configs[name + "-rewritten"] = dict(given=given, expected=describe(load(given)))
    write("configs.json", configs)
    write("state_dicts.json", {name: dict(given=given, **state_dict_of(load(given)))
                               for name, given in CONFIGS.items() if given.get("hidden_size") == 32})
    write("rotary.json", {name: frequencies(*entry) for name, entry in ROPES.items()})


if __name__ == "__main__":
    main()
