"""Text and objects: YAML and JSON as kubectl reads and prints them."""

from labsim.kube.codec.gojson import dump_compact, dump_json
from labsim.kube.codec.kyaml import dump_kyaml
from labsim.kube.codec.read import DecodeError, load, load_all
from labsim.kube.codec.yamlout import dump_yaml

__all__ = ["DecodeError", "dump_compact", "dump_json", "dump_kyaml", "dump_yaml", "load", "load_all"]
