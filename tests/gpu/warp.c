/* Run a translated kernel warp by warp, as a GPU does: one block at a time for all active lanes. Where lanes diverge,
   each group runs to the block where they reconverge. Counts instructions and memory traffic.
   PROGRAM is the file that tests/gpu/translate.py wrote. Barriers, atomics and shared memory are not supported. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8; typedef int8_t s8; typedef uint16_t u16; typedef int16_t s16;
typedef uint32_t u32; typedef int32_t s32; typedef uint64_t u64; typedef int64_t s64;
typedef float f32; typedef double f64;
typedef struct { u32 id, size; u64 address; } Access;
typedef struct { u64 at, size; } Range;
enum { MAX_ACCESSES = 4096, LANES = 32, STOPPED = -1 };
/* An address in the local or constant space is not the generic address of the same memory. */
#define LOCAL (1ull << 62)
#define CONST (1ull << 61)
#define LOG(i, a, s) \
  if (L->logged >= 0) { Access* x = L->log + L->logged++; x->id = i; x->size = s; x->address = a; }

static inline f32 as_f32(u32 x) { f32 y; memcpy(&y, &x, 4); return y; }
static inline f64 as_f64(u64 x) { f64 y; memcpy(&y, &x, 8); return y; }
static inline u32 bits_f32(f32 x) { u32 y; memcpy(&y, &x, 4); return y; }
static inline u64 bits_f64(f64 x) { u64 y; memcpy(&y, &x, 8); return y; }
static inline u32 prmt(u32 a, u32 b, u32 how) {
  u64 bytes = (u64)b << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; i++) {
    u32 which = how >> (4 * i) & 15;
    u8 byte = bytes >> (8 * (which & 7));
    if (which & 8) byte = byte & 128 ? 255 : 0;
    result |= (u32)byte << (8 * i);
  }
  return result;
}
/* Fields beyond the register are cut off, as in PTX. */
static inline u64 ones(u32 length) { return length >= 64 ? ~0ull : (1ull << length) - 1; }
static inline u64 up(u64 x, u32 by) { return by >= 64 ? 0 : x << by; }
static inline u64 bfi64(u64 a, u64 b, u32 at, u32 length) {
  u64 mask = up(ones(length & 255), at & 255);
  return (b & ~mask) | (up(a, at & 255) & mask);
}
static inline u32 bfi32(u32 a, u32 b, u32 at, u32 length) { return (u32)bfi64(a, b, at, length); }
static inline u64 bfe64(u64 a, u32 at, u32 length) { return (at & 255) >= 64 ? 0 : a >> (at & 255) & ones(length & 255); }
static inline u32 bfe32(u32 a, u32 at, u32 length) { return (u32)bfe64(a, at, length); }

struct Lane;
static __attribute__((noinline)) int allowed(struct Lane* lane, u32 id, u64 address, u64 size);

#include PROGRAM

/* Where an access was made outside of the memory that its instruction may use. */
typedef struct { u64 id, address, thread; } Fault;

static const Range* memory; /* the buffers, in order of their addresses */
static int buffers;
static Fault* fault;

static int within(Range r, u64 address, u64 size) { return address >= r.at && address - r.at + size <= r.size; }

static int allowed(Lane* lane, u32 id, u64 address, u64 size) {
  int generic = space[id] == 3;
  if (generic || space[id] == 0) {
    int from = 0, to = buffers; /* the last buffer that does not begin after the address is before `to` */
    while (from < to) {
      int middle = (from + to) / 2;
      if (memory[middle].at <= address) from = middle + 1;
      else to = middle;
    }
    if (to && within(memory[to - 1], address, size)) return 1;
  }
  if (generic || space[id] == 1)
    for (u64 k = 0; k + 1 < sizeof depots / sizeof *depots; k++)
      if (within((Range){(u64)lane + depots[k].at, depots[k].size}, address, size)) return 1;
  if ((generic || space[id] == 2) && !writes[id])
    for (u64 k = 0; k + 1 < sizeof constants / sizeof *constants; k++)
      if (within(constants[k], address, size)) return 1;
  *fault = (Fault){id, address, (u64)lane->ctaid * lane->ntid + lane->tid};
  return 0;
}

/* Counters. Classes of memory: the named buffers, in order, then other, constant and local memory. */
typedef struct { u64 requests, lanes, sectors, lines; } Touched;
typedef struct { u64 instructions, lane_instructions, warps, misaligned; Touched touched[16][2]; } Counts;

static Lane* lanes;
static const u64 *low, *high;
static Counts* counts;
static int named, measured;

static int by_address(const void* a, const void* b) {
  u64 x = *(const u64*)a, y = *(const u64*)b;
  return x < y ? -1 : x > y;
}

static int class_of(u32 id, u64 address) {
  if (space[id] == 2) return named + 1;
  if (space[id] == 1) return named + 2;
  for (int k = 0; k < named; k++)
    if (address >= low[k] && address < high[k]) return k;
  return named;
}

/* Accesses by all active lanes in one instruction are one request. */
static void count_accesses(Lane** who, int active) {
  int at[LANES] = {0};
  for (;;) {
    u32 id = ~0u;
    for (int i = 0; i < active; i++)
      if (at[i] < who[i]->logged && who[i]->log[at[i]].id < id) id = who[i]->log[at[i]].id;
    if (id == ~0u) return;
    u64 address[LANES];
    int n = 0;
    for (int i = 0; i < active; i++) {
      Access* x = who[i]->log + at[i];
      if (at[i] >= who[i]->logged || x->id != id) continue;
      if (x->address % x->size) counts->misaligned++;
      address[n++] = x->address;
      at[i]++;
    }
    Touched* t = &counts->touched[class_of(id, address[0])][writes[id]];
    t->requests++;
    t->lanes += n;
    qsort(address, n, sizeof *address, by_address);
    u64 sector = ~0ull, line = ~0ull;
    int size_of_sector = space[id] == 2 ? 2 : 5; /* constants are read in words of 4 bytes */
    for (int i = 0; i < n; i++) {
      if (address[i] >> size_of_sector != sector) { sector = address[i] >> size_of_sector; t->sectors++; }
      if (address[i] >> 7 != line) { line = address[i] >> 7; t->lines++; }
    }
  }
}

/* Run the lanes of `mask` from block `at` until block `stop`. Return STOPPED after a fault, else 0. */
static int run_lanes(int at, u32 mask, int stop) {
  while (at != stop) {
    int next[LANES], active = 0, first = -1, same = 1;
    Lane* who[LANES];
    for (int i = 0; i < LANES; i++) {
      if (!(mask >> i & 1)) continue;
      Lane* lane = lanes + i;
      lane->logged = measured ? 0 : -1;
      next[i] = blocks[at](lane);
      if (next[i] == STOPPED) return STOPPED;
      who[active++] = lane;
      if (first < 0) first = next[i];
      else if (next[i] != first) same = 0;
    }
    counts->instructions += size[at];
    counts->lane_instructions += (u64)size[at] * active;
    if (measured) count_accesses(who, active);
    if (callee[at] >= 0 && run_lanes(callee[at], mask, callee_end[at])) return STOPPED;
    if (same) { at = first; continue; }
    for (u32 left = mask; left;) {
      int to = next[__builtin_ctz(left)];
      u32 group = 0;
      for (int i = 0; i < LANES; i++)
        if (left >> i & 1 && next[i] == to) group |= 1u << i;
      left &= ~group;
      if (to != meets[at] && run_lanes(to, group, meets[at])) return STOPPED;
    }
    at = meets[at];
  }
  return 0;
}

/* Run `grid` blocks of `threads` threads; `parameters` are `k` slots of SLOT bytes. Return STOPPED after a fault. */
int run(const u8* parameters, u64 k, int grid, int threads, const Range* ranges, int ranges_count, Fault* at_fault,
        const u64* from, const u64* to, int classes, Counts* into, int measure) {
  if (!lanes) lanes = calloc(LANES, sizeof(Lane));
  memory = ranges; buffers = ranges_count; fault = at_fault;
  low = from; high = to; named = classes; counts = into; measured = measure;
  for (int warp = 0; warp < grid * threads / LANES; warp++) {
    for (int i = 0; i < LANES; i++) {
      Lane* lane = lanes + i;
      lane->tid = (warp * LANES + i) % threads;
      lane->ctaid = (warp * LANES + i) / threads;
      lane->ntid = threads;
      lane->nctaid = grid;
      memcpy(PARAMETERS(lane), parameters, k * SLOT);
    }
    counts->warps++;
    if (run_lanes(FIRST, ~0u, END)) return STOPPED;
  }
  return 0;
}
