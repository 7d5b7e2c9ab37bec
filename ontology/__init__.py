"""Codes and their tree, the terms that name them, search, and the policy of mapping."""

from .grammar import Grammar
from .release import Release, Rows
from .releases.from_obo import read_obo
from .releases.from_table import read_table
from .tree import Node, Tree, load_tree

__all__ = ["Grammar", "Node", "Release", "Rows", "Tree", "load_tree", "read_obo", "read_table"]
