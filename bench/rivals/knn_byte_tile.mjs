/**
 * The tile that sums products of 16 bits beside one of bytes by relaxed SIMD, in the same registers: four
 * queries, eight references. Prints 1e9 products a second of one processor's time, the median of nine turns.
 * Not a test.
 *
 *     node --experimental-wasm-relaxed-simd bench/rivals/knn_byte_tile.mjs
 */
import asc from "assemblyscript/asc";

const lanes = [0, 1, 2, 3];

/** A tile in AssemblyScript, as `tiles` of src/distance/wasm/tile.ts has it, with this term. */
const tile = (name, term) => `
export function ${name}(
  queries: usize, refs: usize, groups: i32, depth: i32, values: usize, pitch: usize,
): void {
  for (let g = 0; g < groups; g++) {
    const v0 = values + <usize>g * 32, v1 = v0 + pitch, v2 = v1 + pitch, v3 = v2 + pitch;
    let a0 = i32x4.splat(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    let q = queries;
    for (let d = 0; d < depth; d++) {
      const r = v128.load(refs), s = v128.load(refs, 16);
      ${lanes
        .map(
          (i) => `const q${i} = v128.load32_splat(q, ${4 * i});
      a${i} = ${term(`a${i}`, `q${i}`, "r")}, b${i} = ${term(`b${i}`, `q${i}`, "s")};`,
        )
        .join("\n      ")}
      q += 16, refs += 32;
    }
    ${lanes.map((i) => `v128.store(v${i}, a${i}), v128.store(v${i}, b${i}, 16);`).join("\n    ")}
  }
}`;

const source =
  tile("words", (sum, q, r) => `i32x4.add(${sum}, i32x4.dot_i16x8_s(${q}, ${r}))`) +
  tile("bytes", (sum, q, r) => `i32x4.relaxed_dot_i8x16_i7x16_add_s(${r}, ${q}, ${sum})`);

const files = { "tile.ts": source };
const { error, stderr } = await asc.main(
  "tile.ts -o tile.wasm -O3 --runtime stub --enable simd --enable relaxed-simd --importMemory".split(" "),
  {
    readFile: (name) => files[name] ?? null,
    writeFile: (name, data) => (files[name] = data),
    listFiles: () => [],
  },
);
if (error) throw new Error(`${error.message}\n${stderr}`);
const memory = new WebAssembly.Memory({ initial: 64 });
new Uint8Array(memory.buffer).forEach((_, at, all) => (all[at] = ((at * 7919) >>> 3) & 63));
const { instance } = await WebAssembly.instantiate(files["tile.wasm"], { env: { memory } });
const { words, bytes } = instance.exports;

for (const columns of [784, 50, 32]) {
  const groups = columns > 100 ? 40 : 128;
  const products = groups * 32 * columns;
  const rate = (sweep, depth) => {
    const calls = Math.round(1e9 / products);
    const began = process.cpuUsage();
    for (let i = 0; i < calls; i++) sweep(65_536, 262_144, groups, depth, 131_072, 4096);
    return (calls * products) / process.cpuUsage(began).user / 1000;
  };
  const turn = () => [rate(words, Math.ceil(columns / 2)), rate(bytes, Math.ceil(columns / 4))];
  turn();
  const turns = Array.from({ length: 9 }, turn);
  const [w, b] = [0, 1].map((of) => turns.map((rates) => rates[of]).sort((x, y) => x - y)[4]);
  console.log(
    `${columns} columns: 16 bits ${w.toFixed(1)}, bytes ${b.toFixed(1)}, ratio ${(b / w).toFixed(2)}`,
  );
}
