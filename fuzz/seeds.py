#!/usr/bin/env python3
"""Writes every completion of tests/data/llm-outputs*.jsonl to fuzz/corpus/completions, as the target reads them."""
import json
import pathlib

root = pathlib.Path(__file__).resolve().parent
corpus = root / "corpus" / "completions"
corpus.mkdir(parents=True, exist_ok=True)
for path in sorted((root.parent / "tests" / "data").glob("llm-outputs*.jsonl")):
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        ending = 1 if row.get("finish_reason") == "length" else 0
        if row["completion"] is not None:
            (corpus / str(row["id"])).write_bytes(bytes([ending, 3]) + row["completion"].encode())
