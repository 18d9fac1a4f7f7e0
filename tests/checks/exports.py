"""Reads what `retune export nanopub` and `retune export rubric` wrote, and asks a recorded run's research object the
competency questions of Workflow Run Crate (https://www.researchobject.org/workflow-run-crate/requirements).

Each nanopublication is checked by the package nanopub; one of them is signed with a key that is thrown away, as who
publishes it would. A rubric is loaded as PaperBench's TaskNode loads it (its rubric/tasks.py): no
package has that class. The questions are asked in our own words of SPARQL, after the text of the requirements and of
the profile.
"""

import importlib.resources
import json
import pathlib
import sys
from dataclasses import dataclass

import rdflib
from nanopub import Nanopub, NanopubConf, Profile
from rdflib.plugins.shared.jsonld import context, util

CONTEXT = "https://w3id.org/ro/crate/1.1/context"
bundled = json.loads(importlib.resources.files("rocrate").joinpath("data/ro-crate.jsonld").read_text())
from_network = context.source_to_json


def load(source, *args, **kwargs):
    return (bundled, None) if source == CONTEXT else from_network(source, *args, **kwargs)


context.source_to_json = load
util.source_to_json = load


def nanopublications(folder):
    files = sorted(folder.glob("*.trig"))
    if not files:
        sys.exit(f"{folder} has no nanopublications")
    terms = rdflib.Graph().parse(folder / "terms.ttl")
    defined = set(terms.subjects())
    namespace = str(min(defined)).rsplit("#", 1)[0] + "#"
    for file in files:
        graph = rdflib.Dataset().parse(file, format="trig")
        used = {term for quad in graph.quads() for term in quad[:3] if str(term).startswith(namespace)}
        if used - defined:
            sys.exit(f"{file} uses terms that are not defined: {used - defined}")
        if not Nanopub(rdf=file).is_valid:
            sys.exit(f"{file} is no valid nanopublication")
    signer = Profile(name="A name", orcid_id="https://orcid.org/0000-0002-1825-0097")
    signed = Nanopub(rdf=files[0], conf=NanopubConf(profile=signer))
    signed.sign()
    if not (signed.has_valid_signature and signed.has_valid_trusty):
        sys.exit(f"{files[0]} cannot be signed")
    print(f"nanopublications: {len(files)} valid, one signed as {signed.source_uri}")


CATEGORIES = {"Code Development", "Code Execution", "Result Analysis", "Subtree"}


@dataclass(frozen=True, kw_only=True)
class TaskNode:
    """The fields of PaperBench's class of this name, with what it refuses."""

    id: str
    requirements: str
    weight: int
    sub_tasks: list
    task_category: str | None = None
    finegrained_task_category: str | None = None

    def __post_init__(self):
        if self.weight < 0:
            raise ValueError(f"{self.id}: negative weight")
        if self.task_category and self.task_category not in CATEGORIES:
            raise ValueError(f"{self.id}: no such category: {self.task_category}")
        if bool(self.sub_tasks) == bool(self.task_category):
            raise ValueError(f"{self.id}: leaves have a category, and no others")

    @classmethod
    def load(cls, data):
        return cls(**{**data, "sub_tasks": [cls.load(task) for task in data["sub_tasks"]]})


def rubrics(folder):
    files = sorted(folder.glob("*.json"))
    leaves = sum(len(TaskNode.load(json.loads(file.read_text())).sub_tasks) for file in files)
    if not leaves:
        sys.exit(f"{folder} has no rubrics")
    print(f"rubrics: {len(files)} loaded, {leaves} leaves")


PREFIXES = """
PREFIX s: <http://schema.org/>
PREFIX bio: <https://bioschemas.org/>
PREFIX workflow: <https://bioschemas.org/ComputationalWorkflow#>
PREFIX run: <https://w3id.org/ro/terms/workflow-run#>
PREFIX meta: <https://codemeta.github.io/terms/>
"""

# CQ1 asks for container images: no run here has any. CQ3's usual place, the engine's `object`, is for steps' executions
# alone by the profile's validator: here the configuration is the file that the engine ran as the workflow.
QUESTIONS = {
    "CQ2, resources used": "?a a s:CreateAction ; run:resourceUsage ?u . ?u a s:PropertyValue ; s:propertyID ?p ; s:value ?v .",
    "CQ3, the engine's configuration": "?a a s:OrganizeAction ; s:result ?r . ?r s:instrument ?c . ?c a s:MediaObject ; s:encodingFormat ?f .",
    "CQ4, a step's environment": "?w a s:HowTo, bio:ComputationalWorkflow ; s:step ?t ; meta:buildInstructions ?e . ?t a s:HowToStep ; meta:buildInstructions ?e . ?e a s:MediaObject ; s:encodingFormat ?f .",
    "CQ5, a component's time": "?a a s:CreateAction ; s:instrument ?t ; s:startTime ?b ; s:endTime ?e . ?t a s:SoftwareApplication .",
    "CQ6, the workflow's time": "?a a s:CreateAction ; s:instrument ?w ; s:startTime ?b ; s:endTime ?e . ?w a bio:ComputationalWorkflow .",
    "CQ7, success": "?a a s:CreateAction ; s:actionStatus ?status .",
    "CQ8, inputs": "?a a s:CreateAction ; s:instrument ?w ; s:object ?o . ?w a bio:ComputationalWorkflow .",
    "CQ8, outputs": "?a a s:CreateAction ; s:instrument ?w ; s:result ?r . ?w a bio:ComputationalWorkflow . ?r a s:MediaObject .",
    "CQ9, a component's version": "?t a s:HowToStep ; s:workExample ?c . ?c a s:SoftwareApplication ; s:softwareVersion ?v .",
    "CQ10, what a component wraps": "?a a s:CreateAction ; s:instrument ?t . ?t a s:SoftwareApplication ; s:softwareRequirements ?r ; s:mainEntity ?m . ?r s:version ?v .",
    "CQ11, how parameters were used": "?d s:mainEntity ?w . ?w workflow:input ?p ; s:step ?t . ?a a s:CreateAction ; s:instrument ?w ; s:object ?i . ?i s:exampleOfWork ?p ; s:value ?v . ?c a run:ParameterConnection ; run:sourceParameter ?p ; run:targetParameter ?q . ?t s:workExample ?k . ?k workflow:input ?q .",
}


def questions(crate):
    graph = rdflib.Graph().parse(crate / "ro-crate-metadata.json", format="json-ld")
    silent = []
    for question, pattern in QUESTIONS.items():
        rows = len(graph.query(f"{PREFIXES} SELECT * WHERE {{ {pattern} }} LIMIT 1000"))
        if not rows:
            silent.append(question)
    if silent:
        sys.exit(f"{crate} does not answer {'; '.join(silent)}")
    print(f"{crate}: {len(QUESTIONS)} competency questions answered")


nanopublications(pathlib.Path(sys.argv[1]))
rubrics(pathlib.Path(sys.argv[2]))
for crate in sys.argv[3:]:
    questions(pathlib.Path(crate))
