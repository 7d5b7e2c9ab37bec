"""ICD-10 codes, their tree, the terms that name them, and search."""

from .tree import Node, Tree, load_tree

__all__ = ["Node", "Tree", "load_tree"]
