/**
 * This is SHA-256 (FIPS 180-4), at once and in plain code: keys are made while planning, which waits for
 * nothing, and pages without HTTPS have no crypto.subtle. Large data go through crypto.subtle where it is
 * (digest.ts).
 */

const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n);

/** Returns the first 32 bits of the fraction of a root; float64 has 52 of them, so these are exact. */
const fraction = (root: number) => ((root - Math.floor(root)) * 2 ** 32) | 0;
const START = Int32Array.from(primes.slice(0, 8), (p) => fraction(Math.sqrt(p)));
const ROUND = Int32Array.from(primes, (p) => fraction(Math.cbrt(p)));

/** Returns the 32 bytes of the hash. */
export function sha256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const tail = new Uint8Array(bytes.length % 64 > 55 || bytes.length % 64 === 0 ? 128 : 64);
  const whole = Math.floor(bytes.length / 64);
  const tailBlocks = blocks - whole;
  tail.set(bytes.subarray(whole * 64));
  tail[bytes.length % 64] = 0x80;
  const end = new DataView(tail.buffer, tailBlocks * 64 - 8);
  end.setUint32(0, Math.floor(bytes.length / 2 ** 29));
  end.setUint32(4, (bytes.length * 8) >>> 0);

  const state = START.slice();
  const words = new Int32Array(64);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let block = 0; block < whole; block++) addBlock(state, words, view, block * 64);
  const rest = new DataView(tail.buffer);
  for (let block = 0; block < tailBlocks; block++) addBlock(state, words, rest, block * 64);

  const hash = new Uint8Array(32);
  const out = new DataView(hash.buffer);
  state.forEach((word, at) => out.setInt32(at * 4, word));
  return hash;
}

function addBlock(state: Int32Array, words: Int32Array, view: DataView, begin: number): void {
  for (let t = 0; t < 16; t++) words[t] = view.getInt32(begin + t * 4);
  for (let t = 16; t < 64; t++) {
    const [x, y] = [words[t - 15], words[t - 2]];
    const s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
    const s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
    words[t] = words[t - 16] + s0 + words[t - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 64; t++) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[t] + words[t]) | 0;
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => (state[at] += word));
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
