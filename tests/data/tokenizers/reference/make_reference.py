#!/usr/bin/env python3
"""Makes the reference files beside it: NAME.json (tokenizers), NAME.golden.json (ids of cases.json).

Versions: tokenizers 0.23.3 (BPE), sentencepiece 0.1.97 (the programs spm_train and spm_encode on the PATH).
Tokenizers are trained on corpus.txt, with the pre-tokenizers of the models they are named after.
"""
import json
import pathlib
import subprocess
import tempfile

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = (HERE / "corpus.txt").read_text(encoding="utf-8")

QWEN2 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
         r"|\s+(?!\S)|\s+")
LLAMA3 = QWEN2.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
         r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK_V3 = [
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
]


def splits(*patterns, **byte_level):
    return pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(p), "isolated") for p in patterns]
        + [pre_tokenizers.ByteLevel(**{"add_prefix_space": False, "use_regex": False, **byte_level})])


def train(pre_tokenizer, normalizer=None, vocab_size=700, added=(), **model):
    tokenizer = Tokenizer(models.BPE(**model))
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.train_from_iterator([CORPUS] * 3, trainers.BpeTrainer(
        vocab_size=vocab_size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    for token in added:
        (tokenizer.add_special_tokens if token.special else tokenizer.add_tokens)([token])
    return tokenizer


def special(text, **flags):
    return AddedToken(text, special=True, **flags)


def gpt2():
    tokenizer = train(pre_tokenizers.ByteLevel(add_prefix_space=True), added=[special("<|endoftext|>")])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def qwen():
    return train(splits(QWEN2), normalizers.NFC(), added=[
        special("<|endoftext|>"), special("<|im_start|>"), special("<|im_end|>"),
        AddedToken("<think>", normalized=False), AddedToken("</think>", normalized=False)])


def llama3():
    tokenizer = train(splits(LLAMA3), added=[special("<|begin_of_text|>"), special("<|eot_id|>")], ignore_merges=True)
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=True),
        processors.TemplateProcessing(single="<|begin_of_text|> $A", special_tokens=[("<|begin_of_text|>", tokenizer.token_to_id("<|begin_of_text|>"))])])
    return tokenizer


def deepseek():
    return train(splits(*DEEPSEEK_V3), normalizers.Sequence([]), added=[
        special("<\uff5cbegin\u2581of\u2581sentence\uff5c>"), special("<\uff5cend\u2581of\u2581sentence\uff5c>"),
        AddedToken("<\uff5cUser\uff5c>", normalized=False), AddedToken("<\uff5cAssistant\uff5c>", normalized=False)])


def o200k():
    return train(splits(O200K), added=[special("<|return|>"), special("<|call|>")])


def flags():
    """Every flag of added tokens, also beside white space, inside words and before normalisation."""
    return train(splits(LLAMA3), normalizers.NFKC(), added=[
        AddedToken("word", single_word=True), AddedToken("[L]", lstrip=True), AddedToken("[R]", rstrip=True),
        special("[LR]", lstrip=True, rstrip=True), AddedToken("fi", normalized=True),
        AddedToken("\ufb01sh", normalized=True), AddedToken("  ", normalized=False),
        AddedToken("ab", normalized=False), AddedToken("abcd", normalized=False), AddedToken("bcde", normalized=False),
        special("caf\u00e9"), AddedToken("\u0130", single_word=True, normalized=False)])


def behaviors():
    """Every behaviour of Split, literal patterns, inversion, Digits and Punctuation."""
    return train(pre_tokenizers.Sequence([
        pre_tokenizers.Split("-", "merged_with_next"),
        pre_tokenizers.Split(Regex(r"[,;]\s?"), "merged_with_previous"),
        pre_tokenizers.Split(Regex(r"\.+"), "contiguous"),
        pre_tokenizers.Split("|", "removed"),
        pre_tokenizers.Split(Regex(r"[^\d]+"), "isolated", invert=True),
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.Punctuation("contiguous"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]))


def unknown():
    """Only the bytes of "abcdef \\n" have tokens; others become one unknown token for each run."""
    tokenizer = Tokenizer(models.BPE(
        vocab={"[UNK]": 0, "a": 1, "b": 2, "c": 3, "\u0120": 4, "\u010a": 5, "ab": 6, "abc": 7, "\u0120a": 8, "bc": 9},
        merges=[("b", "c"), ("a", "bc"), ("\u0120", "a"), ("a", "b")], unk_token="[UNK]", fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


TOKENIZERS = [gpt2, qwen, llama3, deepseek, o200k, flags, behaviors, unknown]

CASES = CORPUS.splitlines(keepends=True) + [
    "", " ", "\n", "\r\n", "   \r\n  \t x", "a  b   c    d", " \n \n\n  \n x ", "\t\ttabs\tand  spaces  ", "trailing   ",
    "\u00a0non\u00a0breaking", "\u180emongolian\u180e vowel", "zero\u200bwidth\u200cjoin\u200der", "line\u2028sep\u2029",
    "\u0085next\u0085line", "\u3000ideographic\u3000space", "\ufeffbom", "nul\x00and\x01controls\x1f\x7f\x9f",
    "can't CAN'T won'\u017f it'S I'LL we\u2019re 'tis", "x" * 300, "ab" * 200, "\u4e2d" * 200, " " * 500 + "x",
    "\n" * 100, "9" * 50, "e\u0301le\u0301ve caf\u00e9 cafe\u0301", "\u1e9b\u0323 \u212b \u2126 \ufb01sh", "o\u0308\u0323\u0323\u0308",
    "\uac00\u11a8 \u1100\u1161\u11a8", "\u0958 \u095c \u0929\u094d", "\u304b\u3099 \u304c", "\U0001d15e\U0001d400\U0001d7ce",
    "\u2163 \u00bd \u00b2\u00b3 \u2460 \u0661\u0662 \u0967\u0968 \u0e51 \U0001d7d8 \u3007\u4e00",
    "\U00031350\U0002ebf0 new ideographs \U0001e030\U0001e4d0\u0897\u1c89\u1c8a\U0001fae8\U0001cc00\U00011f50",
    "a\u07fd\u0301\u0316\u0327 \u08d3\u0301 \u09fe\u0334\u0327", "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f3f4\U000e0067\U000e0062",
    "Hi<|im_start|>user\n<|im_end|><|endoftext|>", "<think>\nhm\n</think>\n\n<|im_end", "<|begin_of_text|>x<|eot_id|> y",
    "<\uff5cbegin\u2581of\u2581sentence\uff5c><\uff5cUser\uff5c>Hi<\uff5cAssistant\uff5c>",
    "word sword words a word. wordword \u00e9word word\u0301", "a [L] b [R] c [LR] d  [L]  [R]  [LR]  ", "[LR][LR] [L][L] [R] [R]",
    "fish \ufb01sh \ufb01 fi", "abcde abcd bcde abbcde ababcd", "caf\u00e9 cafe\u0301 \u0130 I\u0307 x\u0130y",
    "the-final--countdown,a; b,,c...d.|e||f 12a3", "-- a,b ;;  ..,|-", "abc ab c xyz a bcab zz\nabc\u00e9",
]


def write(name, value):
    (HERE / name).write_text(json.dumps(value, separators=(",", ":")) + "\n", encoding="ascii")


def golden(tokenizer):
    encoded = [tokenizer.encode(text, add_special_tokens=False).ids for text in CASES]
    return {
        "ids": encoded,
        "text": [tokenizer.decode(ids) for ids in encoded],
        "text_with_special": [tokenizer.decode(ids, skip_special_tokens=False) for ids in encoded],
        # Pieces of characters: what is not UTF-8 becomes U+FFFD.
        "reversed_text": [tokenizer.decode(ids[::-1]) for ids in encoded],
    }


def bpe_references():
    for make in TOKENIZERS:
        tokenizer = make()
        file = json.loads(tokenizer.to_str())
        if make is gpt2:  # the older form of merges
            file["model"]["merges"] = [" ".join(pair) for pair in file["model"]["merges"]]
        write(f"{make.__name__}.json", file)
        write(f"{make.__name__}.golden.json", golden(Tokenizer.from_file(str(HERE / f"{make.__name__}.json"))))


def sentencepiece_reference():
    prefix = HERE / "sentencepiece"
    subprocess.run(["spm_train", f"--input={HERE / 'corpus.txt'}", f"--model_prefix={prefix}", "--vocab_size=760",
                    "--byte_fallback=true", "--character_coverage=0.99", "--normalization_rule_name=identity",
                    "--minloglevel=2"], check=True)
    (HERE / "sentencepiece.vocab").unlink()
    # The programs read lines, so only cases without line ends can be compared.
    cases = [text.rstrip("\n") for text in CASES]
    cases = [text for text in cases if text and not set(text) & set("\n\r\x00")]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="") as file:
        file.write("".join(text + "\n" for text in cases))
        file.flush()
        encode = ["spm_encode", f"--model={prefix}.model", "--output_format=id", f"--input={file.name}"]
        lines = subprocess.run(encode, check=True, capture_output=True, text=True).stdout.split("\n")[:len(cases)]
    ids = [[int(word) for word in line.split()] for line in lines]
    write("sentencepiece.golden.json", {"texts": cases, "ids": ids})


write("cases.json", CASES)
bpe_references()
sentencepiece_reference()
