"""Prints what tests/models/generate_test.cc expects of `dynamic` rotary scaling.

Greedy continuation with a cache, beyond max_position_embeddings, of a tiny Qwen3 whose weights follow
from their names alone (see ChaoticWeights in the test).

Made with torch 2.13.0 and transformers 5.24.0:

    HF_HUB_OFFLINE=1 python3 tests/models/reference/dynamic_rope.py
"""

import math

import torch
import transformers

PROMPT = [3, 1, 4, 1, 5, 9]
NUM_NEW_TOKENS = 40


def chaotic_values(name, count):
    """FNV-1a of the name, then a linear congruential generator; in [-0.5, 0.5), exact in fp32."""
    state = 2166136261
    for byte in name.encode():
        state = ((state ^ byte) * 16777619) % 2**32
    values = []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append((state >> 8) / 2**24 - 0.5)
    return torch.tensor(values)


def make_model():
    config = transformers.Qwen3Config(
        vocab_size=64, hidden_size=24, intermediate_size=40, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=8, max_position_embeddings=8, tie_word_embeddings=False,
        rope_parameters={"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 4.0},
        bos_token_id=None, eos_token_id=None)
    model = transformers.Qwen3ForCausalLM(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            is_gain = parameter.dim() == 1
            parameter.copy_(chaotic_values(name, math.prod(parameter.shape)).view(parameter.shape) + is_gain)
    return model


def main():
    out = make_model().generate(
        torch.tensor([PROMPT]), max_new_tokens=NUM_NEW_TOKENS, do_sample=False, use_cache=True,
        return_dict_in_generate=True, output_logits=True)
    top = torch.stack(out.logits).squeeze(1).topk(2).values
    print("smallest distance of the best two logits:", (top[:, 0] - top[:, 1]).min().item())
    print(out.sequences[0].tolist())


if __name__ == "__main__":
    main()
