"""Validates model files against the schema given first; prints every error as 'file: path: message'.

Scalars are read twice: with their types, and all but nothing as texts, since the loader tells them apart by itself.
"""

import json
import sys

import jsonschema
import yaml


def with_text_keys(node):
    if isinstance(node, dict):
        return {str(key): with_text_keys(value) for key, value in node.items()}
    return [with_text_keys(item) for item in node] if isinstance(node, list) else node


def loader_that_knows(*kinds):
    """Of the kinds of scalars that YAML 1.1 makes out these only; all others are texts."""

    class Loader(yaml.SafeLoader):
        pass

    tags = {f"tag:yaml.org,2002:{kind}" for kind in kinds}
    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag in tags]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return Loader


loaders = loader_that_knows("int", "float", "null"), loader_that_knows("null")

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
wrong = False
for name in sys.argv[2:]:
    with open(name) as file:
        text = file.read()
    for loader in loaders:
        error = jsonschema.exceptions.best_match(validator.iter_errors(with_text_keys(yaml.load(text, loader))))
        if error is None:
            continue
        wrong = True
        print(f"{name}: {'/'.join(str(step) for step in error.absolute_path)}: {error.message[:300]}")
        break
sys.exit(1 if wrong else 0)
