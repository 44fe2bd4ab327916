/** Random damage to model files: with the checksum left as it was, and with the checksum made right again. */
import { crc32 } from "node:zlib";
import { expect } from "vitest";
import {
  KNeighborsClassifier,
  Normalize,
  Pipeline,
  Table,
  isNearfieldError,
  loadModel,
  saveModel,
} from "../../../dist/node.js";
import type { Device } from "../../../dist/node.js";
import type { Random } from "../../oracle/random.ts";

/**
 * Fails when a damaged file is read, and when one that is damaged and sealed again ends in anything but a
 * model or an InvalidInputError.
 */
export async function mutateModel(random: Random, runs: number, device: Device): Promise<void> {
  const table = Table.fromColumns({ x: [1, 2, 3, 4], z: [0.5, 0.25, 1, 2], kind: ["a", "b", "b", "c"] });
  const model = new Pipeline([new Normalize()], new KNeighborsClassifier({ nNeighbors: 2, device }));
  const bytes = saveModel(await model.fit(table, "kind"), { made: "for tests" });
  for (let run = 0; run < runs; run++) {
    const damaged = mutation(random, bytes);
    if (Buffer.compare(damaged, bytes) === 0) continue;
    await expect(loadModel(damaged, { device }), `run ${run}`).rejects.toMatchObject({ tag: "InvalidInput" });
    await loadModel(sealed(damaged), { device }).then(
      ({ pipeline }) => pipeline.dispose(),
      (error: unknown) => {
        if (!isNearfieldError(error, "InvalidInput")) throw error;
      },
    );
  }
  model.dispose();
}

/** Some bytes changed, cut out, put in or swapped, mostly in the header. */
function mutation(random: Random, bytes: Uint8Array): Uint8Array {
  let made = Buffer.from(bytes);
  for (let left = random.int(1, 4); left > 0; left--) {
    const at = random.int(0, random.uniform() < 0.7 ? Math.min(made.length, 600) : made.length);
    const length = random.int(0, 9);
    const noise = Buffer.from(
      Array.from({ length }, () => random.pick([random.int(0, 256), 0x22, 0x30, 0x2c, 0x7d])),
    );
    switch (random.int(0, 4)) {
      case 0:
        made[at] ^= 1 << random.int(0, 8);
        break;
      case 1:
        made = Buffer.concat([made.subarray(0, at), made.subarray(at + length)]);
        break;
      case 2:
        made = Buffer.concat([made.subarray(0, at), noise, made.subarray(at)]);
        break;
      default:
        made = Buffer.concat([made.subarray(0, at), noise, made.subarray(at + length)]);
    }
  }
  return made;
}

/** The length and the checksum made right, where there is room for them. */
function sealed(bytes: Uint8Array): Uint8Array {
  const made = Buffer.from(bytes);
  if (made.length < 28) return made;
  made.writeBigUInt64LE(BigInt(made.length), 16);
  made.writeUInt32LE(crc32(made.subarray(0, -4)), made.length - 4);
  return made;
}
