"""Translate PTX to C: each basic block becomes a C function over the registers of one lane, which `warp.c` runs."""

import re

from tests.gpu.ptx import Block, Branch, Call, Function, Program, Return, reconvergence

TYPES = {
    "pred": "u8", "b8": "u8", "u8": "u8", "s8": "s8", "b16": "u16", "u16": "u16", "s16": "s16", "b32": "u32",
    "u32": "u32", "s32": "s32", "b64": "u64", "u64": "u64", "s64": "s64", "f32": "f32", "f64": "f64",
}  # fmt: skip
REGISTERS = {"p": "u8", "rs": "u16", "r": "u32", "rd": "u64", "f": "f32", "fd": "f64"}
COMPARED = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">",
    "hs": ">=",
}  # fmt: skip
"""Comparisons of floats with the same meaning in C, except `ne`, which does not hold for NaN in PTX."""
UNORDERED = {"neu": "==", "ltu": ">=", "leu": ">", "gtu": "<=", "geu": "<"}
"""Comparisons of floats that also hold for NaN, by the ordered comparison that is their opposite."""
WIDER = {"s16": "s32", "u16": "u32", "s32": "s64", "u32": "u64", "s64": "__int128", "u64": "unsigned __int128"}
BINARY = {"and": "&", "or": "|", "xor": "^"}
SPACES = {"global": 0, "local": 1, "const": 2, "generic": 3}
"""Number of each memory space in `warp.c`."""
SLOT = 64
"""Bytes of a parameter or a result."""


class Translator:
    """The C text of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.accesses: list[tuple[int, int]] = []
        """The space of each instruction that accesses memory, and whether it writes."""
        self.texts: list[str] = []
        """Those instructions, each with its function."""

    def text(self) -> str:
        """Return the declarations and blocks that `warp.c` includes."""
        blocks, functions = self.program.blocks, self.program.functions
        n = len(blocks)
        out = [f"static const u8 C_{_name(name)}[] __attribute__((aligned(16))) = {{{','.join(map(str, data))}}};"
               for name, data in self.program.constants.items()]  # fmt: skip
        out.append("typedef struct Lane { u32 tid, ntid, ctaid, nctaid; int logged; Access log[MAX_ACCESSES];")
        for f in functions:
            out += [
                f"{REGISTERS[kind]} F{f.index}_{kind}[{k}];" for kind, k in f.registers.items() if kind in REGISTERS
            ]
            out.append(f"u64 F{f.index}_SP, F{f.index}_SPL;")
            for name, size in (
                ("depot", max(8, f.local_bytes)),
                ("param", SLOT * max(1, len(f.params))),
                ("ret", SLOT),
            ):
                out.append(f"u8 F{f.index}_{name}[{size}] __attribute__((aligned(16)));")
        out.append("} Lane;")
        sizes, callers = [], list(zip([None, *blocks], blocks, strict=False))
        for k, (before, block) in enumerate(callers):
            lines = [self.line(block, each, before) for each in block.lines]
            sizes.append(len(lines) + (block.end is not None))
            out += [f"static int b{k}(Lane* L) {{", *lines, f"{self.end(block, k)} }}"]
        calls = [self.program.named(b.end.callee) if isinstance(b.end, Call) else None for b in blocks]
        out.append("static const Range constants[] = {")
        out += [f"{{(u64)C_{_name(name)}, sizeof C_{_name(name)}}}," for name in self.program.constants]
        out += ["{0, 0}};", "static const struct { u64 at, size; } depots[] = {"]
        out += [f"{{offsetof(Lane, F{f.index}_depot), {f.local_bytes}}}," for f in functions]
        out.append("{0, 0}};")
        spaces, writes = zip(*self.accesses or [(0, 0)], strict=True)
        tables: dict[str, list[int]] = {
            "size": sizes,
            "meets": reconvergence(self.program),
            "callee": [-1 if f is None else f.first for f in calls],
            "callee_end": [-1 if f is None else n + f.index for f in calls],
            "space": [*spaces],
            "writes": [*writes],
        }
        out.append("typedef int (*Code)(Lane*);")
        out.append(f"static const Code blocks[] = {{{','.join(f'b{k}' for k in range(n))}}};")
        out += [f"static const int {name}[] = {{{','.join(map(str, t))}}};" for name, t in tables.items()]
        entry = self.program.entry
        out.append(f"enum {{ FIRST = {entry.first}, END = {n + entry.index}, SLOT = {SLOT} }};")
        out.append(f"#define PARAMETERS(lane) ((lane)->F{entry.index}_param)")
        return "\n".join(out)

    def end(self, block: Block, k: int) -> str:
        """Return what block k returns: the number of the next block."""
        match block.end:
            case Return():
                return f"return {len(self.program.blocks) + block.function.index};"
            case Branch(label, guard):
                return f"{self.guard(block.function, guard)}return {block.function.labels[label]}; return {k + 1};"
        return f"return {k + 1};"

    def guard(self, f: Function, text: str) -> str:
        """Return an `if` for a predicate such as `@!%p1`."""
        found = re.fullmatch(r"@(!?)%p(\d+)", text)
        return f"if ({found[1]}L->F{f.index}_p[{found[2]}]) " if found else ""

    def value(self, f: Function, text: str, t: str) -> str:
        """Return an operand, read as type `t`."""
        if found := re.fullmatch(r"%(p|rs|rd|r|fd|f)(\d+)", text):
            kind, is_float = found[1], found[1] in ("f", "fd")
            register = f"L->F{f.index}_{kind}[{found[2]}]"
            if t in ("f32", "f64"):
                return register if is_float else f"as_{t}({register})"
            return f"bits_{REGISTERS[kind]}({register})" if is_float else f"(({t}){register})"
        if text in ("%SP", "%SPL"):
            return f"L->F{f.index}_{text[1:]}"
        if found := re.fullmatch(r"%(tid|ntid|ctaid|nctaid)\.([xyz])", text):
            return f"L->{found[1]}" if found[2] == "x" else "1" if found[1][0] == "n" else "0"
        if found := re.fullmatch(r"0([fd])([0-9A-Fa-f]+)", text):
            return f"as_f32(0x{found[2]}u)" if found[1] == "f" else f"as_f64(0x{found[2]}ull)"
        if re.fullmatch(r"-?\d+", text):
            return f"(({t})((s64){int(text) % 2**64}ull))"
        if text.startswith("__local_depot"):
            return f"((u64)L->F{f.index}_depot + LOCAL)"
        if text in self.program.constants:
            return f"((u64)C_{_name(text)} + CONST)"
        raise ValueError(f"not understood: operand {text!r}")

    def store(self, f: Function, register: str, value: str, t: str) -> str:
        """Store a value of type `t` in a register."""
        if register in ("%SP", "%SPL"):
            return f"L->F{f.index}_{register[1:]} = {value};"
        found = re.fullmatch(r"%(p|rs|rd|r|fd|f)(\d+)", register)
        if found is None:
            raise ValueError(f"not understood: register {register!r}")
        to = REGISTERS[found[1]]
        if to in ("f32", "f64"):
            value = f"({value})" if t in ("f32", "f64") else f"as_{to}({value})"
        else:
            value = f"bits_{t}({value})" if t in ("f32", "f64") else f"({to})({t})({value})"
            if found[1] == "p":  # -1 is true
                value = f"({value}) & 1"
        return f"L->F{f.index}_{found[1]}[{found[2]}] = {value};"

    def address(self, f: Function, text: str) -> str:
        """Return the address of a bracketed operand such as `[%rd1+8]`."""
        found = re.fullmatch(r"\[(\S+?)(?:\+(-?\d+))?\]", text)
        if found is None:
            raise ValueError(f"not understood: address {text!r}")
        return f"({self.value(f, found[1], 'u64')} + {int(found[2] or 0)}ll)"

    def access(self, f: Function, text: str, operand: str, t: str, writes: bool) -> str:
        """Return the start of the code of a memory access: A is its address, which is checked, and may be counted."""
        name = text.split()[text[0] == "@"]
        space = name.split(".")[1]
        self.accesses.append((SPACES.get(space, SPACES["generic"]), int(writes)))
        self.texts.append(f"{text}; in {f.name}")
        k = len(self.accesses) - 1
        own = f" - {space.upper()}" if space in ("local", "const") else ""
        return (
            f"u64 A = {self.address(f, operand)}{own}; if (!allowed(L, {k}, A, sizeof({t}))) return STOPPED; "
            f"LOG({k}, A, sizeof({t}));"
        )

    def line(self, block: Block, text: str, before: Block | None) -> str:
        """Translate an instruction that does not end a block; `before` is the preceding block."""
        f = block.function
        found = re.fullmatch(r"(@!?%p\d+)? ?([a-z][\w.]*)\s*(.*)", text)
        if found is None:
            raise ValueError(f"not understood: {text!r}")
        name, operands = found[2], [each.strip() for each in found[3].split(",")]
        if ".param" in name and (slot := self.slot(block, operands[name.startswith("ld")], before)):
            t = TYPES[name.split(".")[-1]]
            if name.startswith("st"):
                return f"*({t}*)({slot}) = {self.value(f, operands[1], t)};"
            return self.store(f, operands[0], f"*({t}*)({slot})", t)
        return self.guard(f, found[1] or "") + "{ " + self.operation(f, name, operands, text) + " }"

    def slot(self, block: Block, text: str, before: Block | None) -> str:
        """Return the location of a parameter, argument or result such as `[x+8]`.

        It belongs to the kernel, to the call that ends this block, or to the call that ended the preceding block.
        """
        found = re.fullmatch(r"\[([\w$]+?)(?:\+(\d+))?\]", text)
        name, offset = (found[1], int(found[2] or 0)) if found else ("", 0)
        f = block.function
        if name in f.params:
            return f"L->F{f.index}_param + {SLOT * f.params.index(name) + offset}"
        if name.startswith("func_retval"):
            return f"L->F{f.index}_ret + {offset}"
        if isinstance(block.end, Call) and name in block.passed:
            callee = self.program.named(block.end.callee)
            return f"L->F{callee.index}_param + {SLOT * block.passed.index(name) + offset}"
        if before is not None and isinstance(before.end, Call):
            return f"L->F{self.program.named(before.end.callee).index}_ret + {offset}"
        raise ValueError(f"not understood: parameter {text!r}")

    def operation(self, f: Function, name: str, a: list[str], text: str) -> str:
        """Return the C code of an instruction `name` with operands `a`."""
        parts = name.split(".")
        op, t = parts[0], TYPES.get(parts[-1], "")
        is_float = t[:1] == "f"

        def value(k: int, kind: str = t) -> str:
            return self.value(f, a[k], kind)

        def result(expression: str, kind: str = t) -> str:
            return self.store(f, a[0], expression, kind)

        if {"approx", "full", "sat", "ftz"} & {*parts} or (
            op == "cvt" and "f" in TYPES[parts[-1]] and "s" in TYPES[parts[-2]] and "rzi" not in parts
        ):
            raise ValueError(f"not understood: {text!r}")
        match op:
            case "mov":
                return result(value(1))
            case "cvta":  # to a generic address, or from it; those of `global` are the same
                space = parts[1 + (parts[1] == "to")]
                sign = "+" if parts[1] == "to" else "-"
                return result(value(1) if space == "global" else f"{value(1)} {sign} {space.upper()}")
            case "ld":
                return f"{self.access(f, text, a[1], t, writes=False)} {result(f'*({t}*)A')}"
            case "st":
                return f"{self.access(f, text, a[0], t, writes=True)} *({t}*)A = {value(1)};"
            case "add" | "sub":
                sign = "+" if op == "add" else "-"
                return result(
                    f"{value(1)} {sign} {value(2)}" if is_float else f"(u64){value(1)} {sign} (u64){value(2)}"
                )
            case "mul" if is_float:
                return result(f"{value(1)} * {value(2)}")
            case "mul" | "mad":
                wide = WIDER[t] if parts[1] != "lo" else "u64"
                product = f"({wide}){value(1)} * ({wide}){value(2)}"
                product = f"({product}) >> {t[1:]}" if parts[1] == "hi" else product
                kind = wide if parts[1] == "wide" else t
                return result(product if op == "mul" else f"{product} + {value(3, kind)}", kind)
            case "fma":
                return result(f"{'fmaf' if t == 'f32' else 'fma'}({value(1)}, {value(2)}, {value(3)})")
            case "div" | "rem":
                return result(f"{value(1)} {'/' if op == 'div' else '%'} {value(2)}")
            case "rcp":
                return result(f"1 / {value(1)}")
            case "min" | "max" if not is_float:
                return result(f"{value(1)} {'<' if op == 'min' else '>'} {value(2)} ? {value(1)} : {value(2)}")
            case "neg":
                return result(f"-{value(1)}")
            case "abs":
                return result(f"{'fabs' if is_float else 'llabs'}({value(1)})")
            case "and" | "or" | "xor":
                return result(f"{value(1)} {BINARY[op]} {value(2)}")
            case "not":
                return result(f"!{value(1)}" if parts[-1] == "pred" else f"~{value(1)}")
            case "shl" | "shr":
                by, bits, sign = value(2, "u32"), t[1:], "<<" if op == "shl" else ">>"
                beyond = f"({value(1)} < 0 ? -1 : 0)" if t[0] == "s" else "0"
                return result(f"{by} >= {bits} ? ({t}){beyond} : ({t})({value(1)} {sign} {by})")
            case "setp" if len(parts) == 3 and parts[1] in UNORDERED:
                return result(f"!({value(1)} {UNORDERED[parts[1]]} {value(2)})", "u8")
            case "setp" if len(parts) == 3 and not (is_float and parts[1] == "ne"):
                return result(f"{value(1)} {COMPARED[parts[1]]} {value(2)}", "u8")
            case "selp":
                return result(f"{value(3, 'u8')} ? {value(1)} : {value(2)}")
            case "cvt":
                to, of = TYPES[parts[-2]], t
                return result(f"({to}){value(1, of)}", to)
            case "popc":
                return result(f"__builtin_popcountll({value(1)})", "u32")
            case "prmt":
                return result(f"prmt({value(1, 'u32')}, {value(2, 'u32')}, {value(3, 'u32')})", "u32")
            case "bfi":
                return result(f"bfi{t[1:]}({value(1)}, {value(2)}, {value(3, 'u32')}, {value(4, 'u32')})")
            case "bfe" if t[0] == "u":
                return result(f"bfe{t[1:]}({value(1)}, {value(2, 'u32')}, {value(3, 'u32')})")
        raise ValueError(f"not understood: {text!r}")


def _name(constant: str) -> str:
    return constant.replace("$", "_S_")
