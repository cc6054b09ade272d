"""Parse PTX into functions of basic blocks. Supports only what numba-cuda generates for a game's kernels.

The language: NVIDIA, "Parallel Thread Execution ISA", https://docs.nvidia.com/cuda/parallel-thread-execution/.
"""

import re
from dataclasses import dataclass, field


@dataclass
class Branch:
    """The end of a block: jump to a label if the guard holds."""

    label: str
    guard: str = ""
    """Predicate such as `@%p1` or `@!%p1`; "" means always."""


@dataclass
class Call:
    """The end of a block: call a function, then continue with the next block."""

    callee: str


class Return:
    """The end of a block and of its function."""


@dataclass
class Block:
    """Instructions that are executed in order, each without its semicolon."""

    function: "Function"
    lines: list[str] = field(default_factory=list)
    end: Branch | Call | Return | None = None
    """None: continue with the next block."""
    passed: list[str] = field(default_factory=list)
    """Names of a Call's arguments, in order."""


@dataclass
class Function:
    """A kernel or a function that it calls."""

    name: str
    index: int
    is_entry: bool
    params: list[str]
    registers: dict[str, int]
    """Number of registers of each kind: `p`, `rs`, `r`, `rd`, `f`, `fd`."""
    local_bytes: int
    first: int = 0
    """Index of its first block."""
    labels: dict[str, int] = field(default_factory=dict)
    """Index of the block at each label."""


@dataclass
class Program:
    """A module; `constants` maps names to bytes."""

    constants: dict[str, list[int]]
    functions: list[Function]
    blocks: list[Block] = field(default_factory=list)

    @property
    def entry(self) -> Function:
        """The kernel."""
        (entry,) = (each for each in self.functions if each.is_entry)
        return entry

    def named(self, name: str) -> Function:
        """Return the function with this name."""
        return next(each for each in self.functions if each.name == name)

    def blocks_of(self, function: Function) -> range:
        """Return the indices of the function's blocks."""
        firsts = [*(each.first for each in self.functions), len(self.blocks)]
        return range(function.first, firsts[function.index + 1])


_CONSTANT = re.compile(r"^\.(?:visible )?const \.align \d+ \.b8 (\S+?)\[(\d+)\](?: = \{([^}]*)\})?;", re.M)
_FUNCTION = re.compile(
    r"^(?:\.visible |\.weak )?\.(entry|func)\s*(?:\([^)]*\))?\s*(\S+?)\s*\(([^)]*)\)[^{;]*\{\n(.*?)^\}", re.M | re.S
)
_STATEMENT = re.compile(r"(\$\w+):|\{([^{}]*?call\.uni.*?)^\s*\}|([^;:{}]+);", re.S | re.M)
_CALL = re.compile(r"call\.uni\s*(?:\(\w+\),)?\s*(\S+?),\s*\(([^)]*)\)", re.S)


def parse(text: str) -> Program:
    """Parse a module. Raises ValueError for syntax that is not supported."""
    text = re.sub(r"//[^\n]*", "", text)
    constants = {}
    for name, size, values in _CONSTANT.findall(text):
        data = [int(value) for value in values.split(",")] if values else []
        constants[name] = data + [0] * (int(size) - len(data))
    program = Program(constants, [])
    for kind, name, params, body in _FUNCTION.findall(text):
        named = re.findall(r"\.param[^,]*?(\S+?)(?:\[\d+\])?\s*(?:,|$)", params.replace("\n", " ").strip())
        registers = {each: int(count) for each, count in re.findall(r"\.reg \.\w+\s+%([a-z]+)<(\d+)>;", body)}
        local = sum(map(int, re.findall(r"\.local \.align \d+ \.b8\s+\S+?\[(\d+)\];", body)))
        program.functions.append(Function(name, len(program.functions), kind == "entry", named, registers, local))
        _blocks(program, program.functions[-1], body)
    return program


def _blocks(program: Program, function: Function, body: str) -> None:
    """Split a function body into blocks and append them to the program."""
    function.first = len(program.blocks)
    block = Block(function)

    def close(end: Branch | Call | Return | None) -> None:
        nonlocal block
        block.end = end
        program.blocks.append(block)
        block = Block(function)

    body = re.sub(r"^\s*\.(?:reg|local)\b[^;]*;|^\s*\.loc[^\n]*\n", "", body, flags=re.M)
    end = 0
    for match in _STATEMENT.finditer(body):
        if skipped := body[end : match.start()].strip():
            raise ValueError(f"not understood: {skipped}")
        end = match.end()
        label, call, line = match.groups("")
        line = " ".join(line.split())
        if label:
            if block.lines:
                close(None)
            function.labels[label] = len(program.blocks)
        elif call:
            found = _CALL.search(call)
            if found is None:
                raise ValueError(f"not understood: {call}")
            before, _, after = call.partition(found[0])
            block.lines += _statements(before)
            block.passed = [name.strip() for name in found[2].split(",") if name.strip()]
            close(Call(found[1]))
            block.lines += _statements(after)
        elif found := re.fullmatch(r"(@!?%p\d+ )?bra(?:\.uni)? (\$\w+)", line):
            close(Branch(found[2], (found[1] or "").strip()))
        elif line == "ret":
            close(Return())
        elif line and not line.startswith("."):
            block.lines.append(line)
    if skipped := body[end:].strip():
        raise ValueError(f"not understood: {skipped}")
    if block.lines:
        close(None)


def _statements(text: str) -> list[str]:
    lines = [" ".join(line.split()) for line in text.split(";")]
    return [line for line in lines if line and not line.startswith(".")]


def reconvergence(program: Program) -> list[int]:
    """Return for each block where its diverging lanes meet again: the block's immediate post-dominator.

    The end of function f has the number len(blocks) + f.

    K. D. Cooper, T. J. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed graph.
    """
    result = [-1] * len(program.blocks)
    for function in program.functions:
        own, end = program.blocks_of(function), len(program.blocks) + function.index
        following = {k: _following(program.blocks[k], k, end) for k in own}
        meets = _immediate_dominators(following, end)
        for k in own:
            result[k] = meets.get(k, end)
    return result


def _following(block: Block, k: int, end: int) -> list[int]:
    match block.end:
        case Return():
            return [end]
        case Branch(label, guard):
            return [block.function.labels[label], *([k + 1] if guard else [])]
    return [k + 1]


def _immediate_dominators(following: dict[int, list[int]], end: int) -> dict[int, int]:
    before: dict[int, list[int]] = {k: [] for k in [*following, end]}
    for k, others in following.items():
        for other in others:
            before[other].append(k)
    order: list[int] = []
    seen, stack = {end}, [(end, iter(before[end]))]
    while stack:
        node, rest = stack[-1]
        new = next((each for each in rest if each not in seen), None)
        if new is None:
            order.append(node)
            stack.pop()
        else:
            seen.add(new)
            stack.append((new, iter(before[new])))
    rank = {node: i for i, node in enumerate(order)}
    found, changed = {end: end}, True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            common: int | None = None
            for other in following[node]:
                if other not in found:
                    continue
                if common is None:
                    common = other
                while common != other:
                    if rank[common] < rank[other]:
                        common = found[common]
                    else:
                        other = found[other]
            if common is not None and found.get(node) != common:
                found[node], changed = common, True
    return found
