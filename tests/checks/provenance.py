"""Validates research objects with rocrate-validator, and a PROV-JSON document by reading it.

The validator wants the JSON-LD context of RO-Crate from the network; the package `rocrate` brings the
same file along.
"""

import importlib.resources
import json
import sys

import prov.model
from rdflib.plugins.shared.jsonld import context, util
from rocrate_validator.utils.http import HttpRequester

CONTEXT = "https://w3id.org/ro/crate/1.1/context"
bundled = json.loads(importlib.resources.files("rocrate").joinpath("data/ro-crate.jsonld").read_text())
if bundled["@id"] != CONTEXT:
    sys.exit(f"the package rocrate brings another context: {bundled['@id']}")


class Bundled:
    """The answer that the network would give."""

    status_code = 200
    headers = {"Content-Type": "application/ld+json"}
    text = json.dumps(bundled)

    def json(self):
        return bundled


def get(self, url, **kwargs):
    return Bundled() if url == CONTEXT else self.__getattr__("get")(url, **kwargs)


def load(source, *args, **kwargs):
    return (bundled, None) if source == CONTEXT else from_network(source, *args, **kwargs)


HttpRequester.get = get
from_network = context.source_to_json
context.source_to_json = load
util.source_to_json = load

from rocrate_validator import models, services  # noqa: E402  (they must find the loaders replaced)


def validate(crate):
    for profile in ["ro-crate-1.1", "workflow-ro-crate-1.0", "provenance-run-crate-0.5"]:
        settings = models.ValidationSettings(
            rocrate_uri=crate,
            profile_identifier=profile,
            requirement_severity=models.Severity.REQUIRED,
        )
        result = services.validate(settings)
        for issue in result.get_issues():
            print(f"{profile} {issue.severity.name} {issue.check.identifier}: {issue.message}")
        if not result.passed():
            sys.exit(f"{crate} is no valid {profile}")
        print(f"{crate}: valid {profile}")


def main(document, *crates):
    for crate in crates:
        validate(crate)
    read = prov.model.ProvDocument.deserialize(document, format="json")
    kinds = {type(record).__name__ for record in read.get_records()}
    wanted = {"ProvEntity", "ProvActivity", "ProvAgent", "ProvUsage", "ProvGeneration", "ProvAssociation"}
    if not wanted <= kinds:
        sys.exit(f"{document} says nothing of {', '.join(sorted(wanted - kinds))}")
    print(f"PROV-JSON: read, {len(read.get_records())} records")


main(*sys.argv[1:])
