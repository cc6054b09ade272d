"""The emulator executes each instruction as the PTX manual says, and counts what a warp does."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.gpu.emulator import HAS_GCC, LANES, Emulator, buffer
from tests.gpu.ptx import Branch, Return, parse, reconvergence
from tests.gpu.translate import Translator

needs_gcc = pytest.mark.skipif(not HAS_GCC, reason="the emulator needs gcc")

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
ARRAY = [f"k_param_{k}" for k in range(7)]
"""A one-dimensional array, as Numba passes it: data at 4, length at 5, stride at 6."""


def kernel(body: str, before: str = "") -> str:
    """Return a kernel over an array of uint64; %rd1 is the address of the thread's element, %r1 the thread's index."""
    params = ",\n".join(f".param .u64 {name}" for name in ARRAY)
    return f"""{HEAD}{before}
.visible .entry k(
{params}
)
{{
.reg .pred %p<9>;
.reg .b16 %rs<9>;
.reg .b32 %r<20>;
.reg .f32 %f<9>;
.reg .b64 %rd<20>;
.reg .f64 %fd<9>;
ld.param.u64 %rd9, [k_param_4];
mov.u32 %r7, %ntid.x;
mov.u32 %r8, %ctaid.x;
mov.u32 %r9, %tid.x;
mad.lo.s32 %r1, %r7, %r8, %r9;
mul.wide.s32 %rd8, %r1, 8;
add.s64 %rd1, %rd9, %rd8;
{body}
ret;
}}
"""


def run(body: str, values: np.ndarray, folder: Path, before: str = "", measure: bool = False) -> Emulator:
    emulator = Emulator(kernel(body, before), folder)
    emulator.launch([values], len(values), [values], measure)
    return emulator


COMPUTED = {
    "add.s64 %rd3, %rd2, -5;": lambda x: x - 5,
    "sub.s64 %rd3, 3, %rd2;": lambda x: 3 - x,
    "mul.lo.s64 %rd3, %rd2, %rd2;": lambda x: x * x,
    "mul.hi.u64 %rd3, %rd2, %rd2;": lambda x: (x % 2**64) ** 2 >> 64,
    "mul.hi.s64 %rd3, %rd2, %rd2;": lambda x: x * x >> 64,
    "shl.b64 %rd3, %rd2, 3;": lambda x: x << 3,
    "shr.s64 %rd3, %rd2, 3;": lambda x: x >> 3,
    "shr.u64 %rd3, %rd2, 3;": lambda x: x % 2**64 >> 3,
    "shl.b64 %rd3, %rd2, 64;": lambda x: 0,
    "shr.s64 %rd3, %rd2, 90;": lambda x: -1 if x < 0 else 0,
    "not.b64 %rd3, %rd2;": lambda x: ~x,
    "xor.b64 %rd3, %rd2, 255;": lambda x: x ^ 255,
    "min.s64 %rd3, %rd2, 0;": lambda x: min(x, 0),
    "max.u64 %rd3, %rd2, 9;": lambda x: max(x % 2**64, 9),
    "div.s64 %rd3, %rd2, 7;": lambda x: abs(x) // 7 * (1 if x >= 0 else -1),
    "rem.s64 %rd3, %rd2, 7;": lambda x: abs(x) % 7 * (1 if x >= 0 else -1),
    "abs.s64 %rd3, %rd2;": abs,
    "popc.b64 %r2, %rd2;\ncvt.u64.u32 %rd3, %r2;": lambda x: (x % 2**64).bit_count(),
    "bfe.u64 %rd3, %rd2, 5, 9;": lambda x: x >> 5 & 511,
    "bfi.b64 %rd3, %rd2, 0, 60, 9;": lambda x: x << 60,
    "bfi.b64 %rd3, 3, %rd2, 4, 8;": lambda x: x & ~0xFF0 | 0x30,
    "cvt.u32.u64 %r2, %rd2;\nprmt.b32 %r3, %r2, 0, 0x8888;\ncvt.u64.u32 %rd3, %r3;".replace("0x8888", "34952"): (
        lambda x: 2**32 - 1 if x & 128 else 0
    ),
    "cvt.s64.s8 %rd3, %rd2;": lambda x: (x + 128) % 256 - 128,
    "setp.lt.s64 %p1, %rd2, 4;\nselp.b64 %rd3, 1, 2, %p1;": lambda x: 1 if x < 4 else 2,
    "setp.lt.u64 %p1, %rd2, 4;\nselp.b64 %rd3, 1, 2, %p1;": lambda x: 1 if x % 2**64 < 4 else 2,
    "setp.lt.s64 %p1, %rd2, 4;\nxor.pred %p2, %p1, -1;\nand.pred %p3, %p2, -1;\nselp.b64 %rd3, 1, 2, %p3;": (
        lambda x: 2 if x < 4 else 1
    ),
    "mov.u64 %rd3, 7;\nsetp.eq.s64 %p1, %rd2, 0;\n@!%p1 mov.u64 %rd3, 8;": lambda x: 8 if x else 7,
    "cvt.rn.f64.s64 %fd1, %rd2;\nmul.f64 %fd2, %fd1, 0d3FE0000000000000;\ncvt.rzi.s64.f64 %rd3, %fd2;": (
        lambda x: int(x * 0.5)
    ),
    "cvt.rn.f32.s64 %f1, %rd2;\nadd.f32 %f2, %f1, 0f3F800000;\nmov.b32 %r2, %f2;\ncvt.u64.u32 %rd3, %r2;": (
        lambda x: int(np.float32(np.float32(x) + np.float32(1)).view(np.uint32))
    ),
}
"""PTX that computes %rd3 from %rd2, and the same function in Python."""


@needs_gcc
def test_instructions_compute_the_manuals_results(tmp_path: Path) -> None:
    """One kernel computes all cases in each thread, so gcc is called once."""
    inputs = [0, 1, -1, 3, 4, 7, -8, 127, 128, 255, 1000, -12345, 2**31, -(2**31), 2**40 + 5, 2**53 + 2**30, 2**62]
    table = np.zeros(128 * len(COMPUTED), np.int64)
    table[:: len(COMPUTED)][: len(inputs)] = inputs
    body = f"mul.wide.s32 %rd8, %r1, {8 * len(COMPUTED)};\nadd.s64 %rd1, %rd9, %rd8;\nld.global.u64 %rd2, [%rd1];\n"
    for k, text in enumerate(COMPUTED):
        body += f"{text}\nst.global.u64 [%rd1+{8 * k}], %rd3;\n"
    emulator = Emulator(kernel(body), tmp_path)
    emulator.launch([table], 128)
    for i, x in enumerate(inputs):
        for k, (text, expected) in enumerate(COMPUTED.items()):
            found = int(table[i * len(COMPUTED) + k])
            assert found % 2**64 == expected(x) % 2**64, (text, x)


PARTING = """
ld.global.u64 %rd2, [%rd1];
setp.lt.s64 %p1, %rd2, 0;
@%p1 bra $A;
bra.uni $B;
$A:
sub.s64 %rd2, 0, %rd2;
$B:
add.s64 %rd2, %rd2, 1;
st.global.u64 [%rd1], %rd2;
"""


@needs_gcc
def test_lanes_diverge_and_reconverge(tmp_path: Path) -> None:
    values = np.arange(-64, 64)
    before = values.copy()
    emulator = run(PARTING, values, tmp_path)
    np.testing.assert_array_equal(values, np.abs(before) + 1)
    assert emulator.warps == 4
    straight = 7 + 3 + 3  # executed by all lanes: head, up to the branch, from $B
    assert emulator.instructions == straight + (2 * 1 + 2 * 1) / 4  # a warp takes one of the branches
    mixed = np.where(np.arange(128) % 2, 1, -1)
    assert run(PARTING, mixed, tmp_path).instructions == straight + 2  # or both
    assert set(mixed) == {2}


@needs_gcc
def test_loops_and_calls(tmp_path: Path) -> None:
    """A function that is called in a loop computes the sum of 1..n."""
    before = """
.func (.param .b64 func_retval0) plus(.param .b64 plus_param_0, .param .b64 plus_param_1)
{
.reg .b64 %rd<9>;
ld.param.u64 %rd1, [plus_param_0];
ld.param.u64 %rd2, [plus_param_1];
add.s64 %rd3, %rd1, %rd2;
st.param.b64 [func_retval0], %rd3;
ret;
}
"""
    body = """
ld.global.u64 %rd2, [%rd1];
mov.u64 %rd3, 0;
$LOOP:
setp.eq.s64 %p1, %rd2, 0;
@%p1 bra $DONE;
{ // callseq 0, 0
.param .b64 param0;
st.param.b64 [param0], %rd3;
.param .b64 param1;
st.param.b64 [param1], %rd2;
.param .b64 retval0;
call.uni (retval0), plus, (param0, param1);
ld.param.b64 %rd3, [retval0];
    }
add.s64 %rd2, %rd2, -1;
bra.uni $LOOP;
$DONE:
st.global.u64 [%rd1], %rd3;
"""
    values = np.arange(128) % 7
    expected = values * (values + 1) // 2
    run(body, values, tmp_path, before)
    np.testing.assert_array_equal(values, expected)


@needs_gcc
def test_accesses_are_counted_by_sectors_and_alignment(tmp_path: Path) -> None:
    body = "ld.global.u64 %rd2, [%rd1];\nst.global.u8 [%rd9], 1;\n"
    values = buffer(128 * 8).view(np.int64)
    found = run(body, values, tmp_path, measure=True)
    assert found.misaligned == 0
    read, written = found.touched(0, writes=False), found.touched(0, writes=True)
    assert (read.requests, read.lanes, read.sectors, read.lines) == (1, LANES, 8, 2)
    assert (written.requests, written.lanes, written.sectors, written.lines) == (1, LANES, 1, 1)
    assert run("ld.global.u32 %r2, [%rd1+2];\n", values, tmp_path, measure=True).misaligned == 128


@needs_gcc
@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("ld.global.u64 %rd2, [%rd1+8];\n", "thread 127 accesses byte 1024 of an array of 1024 bytes: ld.global.u64"),
        ("st.u8 [%rd1+-1], 1;\n", "thread 0 accesses byte -1 of"),
        ("ld.u8 %rs1, [0];\n", "thread 0 accesses"),
        ("mov.u64 %rd2, table;\nld.global.u64 %rd3, [%rd2];\n", "ld.global.u64"),
        ("mov.u64 %rd2, table;\nld.u64 %rd3, [%rd2];\n", "ld.u64"),  # the address is not generic
        ("mov.u64 %rd2, table;\nld.const.u64 %rd3, [%rd2+8];\n", "ld.const.u64"),
        ("mov.u64 %rd2, table;\ncvta.const.u64 %rd3, %rd2;\nst.u64 [%rd3], 1;\n", "st.u64"),
        ("ld.local.u64 %rd2, [%rd1];\n", "ld.local.u64"),
    ],
)
def test_an_access_outside_of_its_memory_is_an_error(body: str, fault: str, tmp_path: Path) -> None:
    table = ".const .align 8 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
    with pytest.raises(IndexError, match=re.escape(fault)):
        run(body, np.arange(128), tmp_path, table)


@needs_gcc
def test_constants_and_local_memory_have_generic_addresses_too(tmp_path: Path) -> None:
    table = ".const .align 8 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
    body = """
.local .align 8 .b8 __local_depot0[16];
mov.u64 %rd2, table;
cvta.const.u64 %rd3, %rd2;
ld.const.u8 %rs1, [%rd2+1];
ld.u8 %rs2, [%rd3+2];
mov.u64 %SPL, __local_depot0;
cvta.local.u64 %SP, %SPL;
add.u64 %rd4, %SP, 8;
st.u8 [%rd4], %rs1;
ld.local.u8 %rs3, [%SPL+8];
add.s16 %rs4, %rs2, %rs3;
cvt.u64.u16 %rd5, %rs4;
st.global.u64 [%rd1], %rd5;
"""
    values = np.arange(128)
    run(body, values, tmp_path, table)
    assert set(values) == {3 + 2}


def test_lanes_reconverge_at_the_immediate_post_dominator() -> None:
    program = parse(kernel(PARTING))
    function = program.entry
    ends = [block.end for block in program.blocks]
    assert isinstance(ends[0], Branch)
    assert isinstance(ends[-1], Return)
    meets = reconvergence(program)
    assert meets[0] == function.labels["$B"]
    assert meets[len(program.blocks) - 1] == len(program.blocks)


@pytest.mark.parametrize(
    "line", ["bar.sync 0;", "rcp.approx.ftz.f32 %f1, %f2;", "cvt.rni.s32.f32 %r1, %f1;", "mov.b64 %rd1, {%r1, %r2};"]
)
def test_unsupported_ptx_is_refused(line: str) -> None:
    text = kernel(line)
    with pytest.raises(ValueError, match="not understood"):
        Translator(parse(text)).text()
