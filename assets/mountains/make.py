"""Writes mountains.ttl.gz: a made-up country in Wikidata's RDF model, for trying aggregation.

Norland has 2,500 mountains, of which exactly 900 are over 3,500 m (and 50 are 3,500 m high), beside cities and lakes that lie
as high; the mountains of Sudland are high, too. Run in this folder: python3 make.py
"""

import gzip

HEAD = """@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix psv: <http://www.wikidata.org/prop/statement/value/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

NAMES = {
    "P17": "country", "P31": "instance of", "P36": "capital", "P571": "inception", "P2044": "elevation above sea level",
    "Q8502": "mountain", "Q515": "city", "Q23397": "lake", "Q6256": "country", "Q11573": "metre",
}
COUNTRIES = {"Q9000001": "Norland", "Q9000002": "Sudland"}


def things():
    """Each thing: number, label, kind, country, elevation, year of inception."""
    for i in range(2500):
        if i < 900:
            height = 3501 + i * 5
        elif i < 950:
            height = 3500
        else:
            height = 500 + i
        yield 9100000 + i, f"Peak {i + 1}", "Q8502", "Q9000001", height, None
    for i in range(300):
        yield 9200000 + i, f"Town {i + 1}", "Q515", "Q9000001", 3600 + i, 1200 + i
    for i in range(200):
        yield 9300000 + i, f"Lake {i + 1}", "Q23397", "Q9000001", 3700 + i, None
    for i in range(400):
        yield 9400000 + i, f"Horn {i + 1}", "Q8502", "Q9000002", 4000 + i, None


def lines():
    yield HEAD
    for name, label in {**NAMES, **COUNTRIES}.items():
        yield f'wd:{name} rdfs:label "{label}"@en .\n'
    for country, label in COUNTRIES.items():
        yield f'wd:{country} wdt:P31 wd:Q6256 ; schema:description "made-up country"@en .\n'
    yield "wd:Q9000001 wdt:P36 wd:Q9200000 .\nwd:Q9000002 wdt:P36 wd:Q9200000 .\n"
    for number, label, kind, country, height, year in things():
        since = f' ; wdt:P571 "{year}-01-01T00:00:00Z"^^xsd:dateTime' if year else ""
        yield f'wd:Q{number} rdfs:label "{label}"@en ; wdt:P31 wd:{kind} ; wdt:P17 wd:{country} ; wdt:P2044 "+{height}"^^xsd:decimal{since} .\n'
        if height > 7900:
            yield f'wd:Q{number} p:P2044 [ psv:P2044 [ wikibase:quantityAmount "+{height}"^^xsd:decimal ; wikibase:quantityUnit wd:Q11573 ] ] .\n'


with open("mountains.ttl.gz", "wb") as packed, gzip.GzipFile("", "wb", 9, packed, mtime=0) as file:
    file.write("".join(lines()).encode())
