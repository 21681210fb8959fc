#!/usr/bin/env python3
"""A graph for `tot` out of a table: tot --kg "exec:python3 csv_graph.py museum.csv"

Columns: subject, relation, object; any further column is a remark on the fact. An object that looks like a number or a
date is a value, any other is an entity. Remarks for people go to standard error: standard output is for replies only.
"""
import csv
import json
import re
import sys

with open(sys.argv[1], newline="", encoding="utf-8") as table:
    rows = list(csv.DictReader(table))

key = lambda name: re.sub(r"\W+", "_", name.strip())  # ids hold no blanks
is_value = lambda text: re.fullmatch(r"[-+]?\d[\d.-]*", text) is not None
labels = {key(row[c]): row[c] for row in rows for c in ("subject", "object") if c == "subject" or not is_value(row[c])}
relations = {key(row["relation"]): row["relation"] for row in rows}
entity = lambda id: {"id": id, "label": labels.get(id)}


def facts(direction):
    """Each row with the entity that it is about, seen from this direction."""
    for row in rows:
        near = row["subject"] if direction == "out" else row["object"]
        yield key(near), key(row["relation"]), row


def edge(row):
    value = {"kind": "date" if len(row["object"]) == 4 else "quantity", "text": row["object"]}
    said = [{"relation": c, "value": row[c]} for c in list(row)[3:] if row[c]]
    return {"s": key(row["subject"]), "o": value if is_value(row["object"]) else key(row["object"]),
            "notes": [{"qualifiers": said}] if said else []}


def answer(ask):
    if ask["op"] == "hello":
        return {"about": f"{len(rows)} facts of {sys.argv[1]}", "ops": ["search", "relations", "edges", "describe"]}
    if ask["op"] == "search":
        wanted = ask["mention"].lower()
        hits = sorted((id for id, label in labels.items() if wanted in label.lower()), key=lambda id: (len(labels[id]), id))
        return {"candidates": [entity(id) for id in hits]}
    if ask["op"] == "relations":
        found = [relation for near, relation, _ in facts(ask["direction"]) if near in ask["entities"]]
        return {"relations": [{"id": r, "label": relations[r], "count": found.count(r)} for r in sorted(set(found))]}
    if ask["op"] == "edges":
        edges, partial = [], []
        for id in ask["entities"]:
            all = [edge(row) for near, relation, row in facts(ask["direction"]) if (near, relation) == (id, ask["relation"])]
            page = all[ask["offset"]:ask["offset"] + ask["cap"]]
            edges += page
            if ask["offset"] + len(page) < len(all):
                partial.append({"entity": id, "of": len(all)})
        ends = {end for e in edges for end in (e["s"], e["o"]) if isinstance(end, str)}
        return {"relation_label": relations.get(ask["relation"]), "edges": edges, "partial": partial, "entities": [entity(id) for id in sorted(ends)]}
    if ask["op"] == "describe":
        return {"entities": [entity(id) for id in ask["ids"] if id in labels]}
    raise ValueError(f"no such operation: {ask['op']}")


for line in sys.stdin:  # ends when tot closes it: then so do we
    ask = json.loads(line)
    try:
        reply = {"id": ask["id"], "ok": answer(ask)}
    except Exception as error:
        reply = {"id": ask["id"], "error": str(error)}
    print(json.dumps(reply), flush=True)
