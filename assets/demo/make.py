#!/usr/bin/env python3
"""Writes the graphs that the program carries with it from tables of facts.

    python3 make.py FOLDER > demo.ttl
    python3 make.py FOLDER musicbrainz > musicbrainz.ttl

FOLDER holds demo-facts.tsv, demo-entities.tsv, demo-local-facts.tsv and demo-local-entities.tsv: UTF-8,
tab-separated, one header line, no quoting. Rows of other graphs (column `kg`) are left out.

The output follows the Wikidata RDF model: direct claims (`wdt:`) for every fact; for dates and quantities also
the statement with its value node, which says the precision or the unit. The MusicBrainz part is plain RDF: things and
relation types under their addresses at musicbrainz.org, the fields of its web service as https://musicbrainz.org/ws/2#FIELD,
and owl:sameAs to Wikidata where a thing is known there. Same input, same output.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

HEADER = """\
# The demo graph. Written by make.py: change the tables, not this file.
#
# Facts: Wikidata (CC0 1.0), about 2020. Descriptions are our own. Ids that start with `local:` are ours too.
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix psv: <http://www.wikidata.org/prop/statement/value/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

MUSICBRAINZ_HEADER = """\
# The MusicBrainz part of the demo graph. Written by make.py: change the tables, not this file.
#
# Facts: MusicBrainz core data (CC0 1.0), from replies of its web service. Descriptions are our own.
@prefix mb: <https://musicbrainz.org/ws/2#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

# What kinds of things stand at the two ends of a field or relation type.
ENDS = {
    "release-groups": ("artist", "release-group"), "release-group": ("release", "release-group"),
    "recordings": ("release", "recording"), "artist-credit": (None, "artist"), "primary-type": ("release-group", None),
    "first-release-date": (None, None), "begin-area": ("artist", "area"), "area": (None, "area"), "end-area": ("artist", "area"),
    "member of": ("artist", "artist"), "label-info": ("release", "label"), "track-count": ("release", None),
    "composed": ("artist", "work"), "recording of": ("recording", "work"), "published": ("label", "work"),
    "part of": (None, "series"), "produced": ("artist", None), "performed": ("artist", None), "orchestra": ("artist", None),
}

# What the values of a property are, by the kind of its objects; external ids are told by name.
TYPES = {"entity": "WikibaseItem", "date": "Time", "quantity": "Quantity", "text": "String", "url": "Url"}
ONE = "wd:Q199"  # the unit of a bare number


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def number(name):
    """Sorts Q9 before Q10, and ids without a number after those."""
    return (0, int(name[1:]), "") if name[1:].isdigit() else (1, 0, name)


def term(name):
    return f"<{name}>" if name.startswith("local:") else f"wd:{name}"


def text(value, suffix=""):
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"{suffix}'


def value(fact):
    """The object as Turtle, and the value node's lines for a date or quantity."""
    kind, raw = fact["object_kind"], fact["object_id_or_literal"]
    if kind == "entity":
        return term(raw), None
    if kind == "url":
        return f"<{raw}>", None
    if kind == "date":
        moment, precision = raw.split("/")
        moment = text(moment, "^^xsd:dateTime")
        return moment, f"wikibase:timeValue {moment} ; wikibase:timePrecision {precision}"
    if kind == "quantity":
        amount, _, unit = raw.partition(" ")
        amount = text(amount, "^^xsd:decimal")
        unit = term(unit) if unit else ONE
        return amount, f"wikibase:quantityAmount {amount} ; wikibase:quantityUnit {unit}"
    return text(raw), None


def block(subject, lines):
    return f"{subject} " + " ;\n    ".join(lines) + " ."


def properties(facts):
    kinds, labels = defaultdict(set), {}
    for fact in facts:
        kinds[fact["property_id"]].add(fact["object_kind"])
        labels[fact["property_id"]] = fact["property_label"]
    for name in sorted(labels, key=number):
        label = labels[name]
        external = "ID" in label.replace("(", " ").split()
        kind = "ExternalId" if external else TYPES[sorted(kinds[name])[0]]
        yield block(
            f"wd:{name}",
            [
                "a wikibase:Property",
                f"wikibase:propertyType wikibase:{kind}",
                f"wikibase:directClaim wdt:{name} ; wikibase:claim p:{name}",
                f"wikibase:statementProperty ps:{name} ; wikibase:statementValue psv:{name}",
                f"rdfs:label {text(label, '@en')}",
            ],
        )


def item(entity, facts):
    lines = ["a wikibase:Item", f"rdfs:label {text(entity['label'], '@en')}"]
    if entity["description"]:
        lines.append(f"schema:description {text(entity['description'], '@en')}")
    aliases = [alias for alias in entity["aliases"].split("|") if alias]
    if aliases:
        lines.append("skos:altLabel " + ", ".join(text(alias, "@en") for alias in aliases))
    direct, statements = defaultdict(list), []
    for fact in facts:
        shown, node = value(fact)
        name = fact["property_id"]
        if shown not in direct[name]:
            direct[name].append(shown)
            if node:
                statements.append(f"p:{name} [ a wikibase:BestRank ; wikibase:rank wikibase:NormalRank ; ps:{name} {shown} ; psv:{name} [ {node} ] ]")
    lines += [f"wdt:{name} " + ", ".join(direct[name]) for name in sorted(direct, key=number)]
    return block(term(entity["id"]), lines + statements)


def mbid(kinds, name):
    return f"<https://musicbrainz.org/{kinds[name]}/{name}>"


def kinds_of(facts, entities):
    """The kind of every thing: by its description, else by the fields and relations that it stands in."""
    kinds = {}
    words = {"album": "release-group", "single": "release-group", "EP": "release-group", "area": "area", "recording": "recording",
             "release": "release", "work": "work", "label": "label", "series": "series", "release group": "release-group"}
    for fact in facts:
        name = fact["property_label"] if len(fact["property_id"]) == 36 else fact["property_id"]
        subject, target = ENDS.get(name, (None, None))
        for one, kind in ((fact["subject_id"], subject), (fact["object_id_or_literal"], target)):
            if kind and one in entities:
                if kinds.setdefault(one, kind) != kind:
                    sys.exit(f"{one} is {kinds[one]} and {kind}")
    for fact in facts:
        if fact["property_id"] == "length":
            kinds.setdefault(fact["subject_id"], "recording")
    for entity in entities.values():
        first = entity["description"].split(" by ")[0].split(",")[0]
        kind = next((kind for word, kind in words.items() if word in first.split()), None)
        kinds.setdefault(entity["id"], kind or "artist")
    return kinds


def musicbrainz_value(kinds, fact):
    kind, raw = fact["object_kind"], fact["object_id_or_literal"]
    if kind == "entity":
        return mbid(kinds, raw)
    if kind == "url":
        return f"<{raw}>"
    if kind == "date":
        moment, precision = raw.split("/")
        form, length = {"9": ("gYear", 4), "10": ("gYearMonth", 7)}.get(precision, ("date", 10))
        return text(moment[:length], f"^^xsd:{form}")
    if kind == "quantity" and " " not in raw:
        return text(raw.lstrip("+"), "^^xsd:integer")
    return text(fact["object_label"] if kind == "quantity" else raw)


def musicbrainz(folder):
    facts = [f for f in rows(folder / "demo-facts.tsv") if f["kg"] == "musicbrainz"]
    entities = {e["id"]: e for e in rows(folder / "demo-entities.tsv") if e["kg"] == "musicbrainz"}
    kinds = kinds_of(facts, entities)
    relation = lambda name: f"<https://musicbrainz.org/relationship/{name}>" if len(name) == 36 else f"mb:{name}"
    labels = {fact["property_id"]: fact["property_label"] for fact in facts}
    blocks = [MUSICBRAINZ_HEADER]
    blocks.append("\n".join(f"{relation(name)} rdfs:label {text(labels[name], '@en')} ." for name in sorted(labels)))
    of = defaultdict(lambda: defaultdict(list))
    for fact in facts:
        shown = musicbrainz_value(kinds, fact)
        if shown not in of[fact["subject_id"]][fact["property_id"]]:
            of[fact["subject_id"]][fact["property_id"]].append(shown)
    for name in sorted(entities):
        entity = entities[name]
        lines = [f"rdfs:label {text(entity['label'], '@en')}"]
        if entity["description"]:
            lines.append(f"schema:description {text(entity['description'], '@en')}")
        aliases = [alias for alias in entity["aliases"].split("|") if alias]
        if aliases:
            lines.append("skos:altLabel " + ", ".join(text(alias, "@en") for alias in aliases))
        if entity["linked_id"]:
            lines.append(f"owl:sameAs wd:{entity['linked_id']}")
        lines += [f"{relation(field)} " + ", ".join(of[name][field]) for field in sorted(of[name])]
        blocks.append(block(mbid(kinds, name), lines))
    missing = sorted(set(of) - set(entities))
    if missing:
        sys.exit(f"facts about entities that are in no table: {', '.join(missing)}")
    print("\n\n".join(blocks))


def main(folder):
    facts = [f for f in rows(folder / "demo-facts.tsv") if f["kg"] == "wikidata"]
    facts += rows(folder / "demo-local-facts.tsv")
    entities = [e for e in rows(folder / "demo-entities.tsv") if e["kg"] == "wikidata"]
    entities += rows(folder / "demo-local-entities.tsv")
    of = defaultdict(list)
    for fact in facts:
        of[fact["subject_id"]].append(fact)
    known = {entity["id"]: entity for entity in entities}
    missing = sorted(set(of) - set(known))
    if missing:
        sys.exit(f"facts about entities that are in no table: {', '.join(missing)}")
    blocks = [HEADER, *properties(facts)]
    blocks += [item(known[name], of[name]) for name in sorted(known, key=number)]
    print("\n\n".join(blocks))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[2] == "musicbrainz":
        musicbrainz(Path(sys.argv[1]))
    elif len(sys.argv) == 2:
        main(Path(sys.argv[1]))
    else:
        sys.exit(__doc__)
