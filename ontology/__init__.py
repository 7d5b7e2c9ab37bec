"""Codes, their tree, the terms that name them, search, and the policy of mapping."""

from .release import Release
from .releases.from_obo import read_obo
from .releases.from_table import read_table
from .tree import Node, Tree, load_tree

__all__ = ["Node", "Release", "Tree", "load_tree", "read_obo", "read_table"]
