"""Releases of three grammars: ICD-11's, numbers with leading zeros, and CURIEs."""

from dxjudge.ontology import Release, read_obo, read_table

ICD11 = Release(
    name="icd11-toy",
    title="ICD-11 (16 nodes)",
    version="2025-01",
    read=read_table("icd11.tsv"),
    levels=("chapter", "block", "category", "subcategory"),
    headings=("chapter", "block"),
    left_out=("08",),
    prefix="ICD11",
    iri="http://id.who.int/icd/release/11/mms/",
)

NUMBERS = Release(
    name="numbers",
    read=read_table("numbers.csv", code="id", name="label", parent="above", terms="also"),
)

MONDO = Release(name="mondo-toy", read=read_obo("small.obo"), prefix="MONDO")

PLANTS = Release(name="plantdemo", read=read_table("plants.csv"))
