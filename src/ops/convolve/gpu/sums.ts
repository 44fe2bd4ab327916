/**
 * Writes the WGSL function `sumsOf` for a number of taps: the sums of a lane, with all taps written out,
 * since which register holds which samples changes from group to group of four taps.
 */
import { ceilDiv } from "../../../core/math.ts";

/**
 * sumsOf(first) adds up `vectors` vectors of outputs, whose samples begin at tile[first]. The vectors + 1 of
 * samples that a group needs lie in as many registers; each group reads one that takes the place of the
 * oldest.
 */
export function sumsText(taps: number, vectors: number): string {
  const numbers = Array.from({ length: vectors }, (_, q) => q);
  const group = (number: number): string[] => {
    const sample = (q: number) => `x${(number + q) % (vectors + 1)}`;
    return [
      `${sample(vectors)} = tile[first + ${number + vectors}u];`,
      `w = weights[${number}];`,
      ...numbers.flatMap((q) => {
        const [x, y] = [sample(q), sample(q + 1)];
        const windows = [x, `Vec(${x}.yzw, ${y}.x)`, `Vec(${x}.zw, ${y}.xy)`, `Vec(${x}.w, ${y}.xyz)`];
        // Taps past the last are not multiplied, since what they would meet may be NaN.
        const some = windows.slice(0, taps - 4 * number);
        return some.map((window, i) => `s${q} += w.${"xyzw"[i]} * ${window};`);
      }),
    ];
  };
  return [
    `fn sumsOf(first: u32) -> array<Vec, ${vectors}> {`,
    "var w: Vec;",
    ...numbers.map((q) => `var s${q} = Vec();`),
    ...numbers.map((q) => `var x${q} = tile[first + ${q}u];`),
    `var x${vectors}: Vec;`,
    ...Array.from({ length: ceilDiv(taps, 4) }, (_, number) => group(number)).flat(),
    `return array<Vec, ${vectors}>(${numbers.map((q) => `s${q}`).join(", ")});`,
    "}",
  ].join("\n");
}
