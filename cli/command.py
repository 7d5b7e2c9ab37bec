"""What every command of ours does with its options."""

from typing import Any

from typer.core import TyperCommand

from ..errors import UsageError


class Command(TyperCommand):
    """A command on which an option that takes one value may stand once.

    Elsewhere the last one would count, without a word.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option that is repeated, then read the arguments as usual."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for option in self.params:
            takes_one = not (option.multiple or getattr(option, "is_flag", False))
            count = order.count(option)
            if option.param_type_name == "option" and takes_one and count > 1:
                raise UsageError(f"{option.opts[0]} is given {count} times; it takes one value")
        return super().parse_args(ctx, args)
