"""Names that a package imports when they are first used: autodoc2 finds them by the imports for type checkers."""

from astroid import MANAGER, nodes


def import_them(node: nodes.Module, infer_function: object = None) -> None:
    """Moves what `if TYPE_CHECKING` imports to the module's own statements."""
    for statement in [*node.body]:
        if isinstance(statement, nodes.If) and statement.test.as_string() == "TYPE_CHECKING":
            imports = [each for each in statement.body if isinstance(each, nodes.ImportFrom)]
            for each in imports:
                each.parent = node
            node.body = [*imports, *node.body]


def register() -> None:
    """From here on, for all modules."""
    MANAGER.register_transform(nodes.Module, import_them)
