/** A matrix as an .npy file in memory, whose reads the test sees and may change. */
import { writeNpy } from "../../../../dist/node.js";
import type { ByteSource, Matrix } from "../../../../dist/node.js";

/** Does a read, or something else. @returns how many bytes were read */
export type Read = (target: Uint8Array, begin: number, read: () => number) => Promise<number>;

/** @param onPass called when it is read from its beginning, as when its header is read */
export async function npyFile(matrix: Matrix, onRead: Read, onPass = () => {}): Promise<ByteSource> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeNpy(matrix)) pieces.push(piece.slice());
  const bytes = Buffer.concat(pieces);
  return {
    name: "large.npy",
    byteLength: bytes.length,
    stream: async function* () {
      onPass();
      yield await Promise.resolve(bytes);
    },
    readInto: async (target, begin) => {
      await Promise.resolve();
      return onRead(target, begin, () => {
        const part = bytes.subarray(begin, begin + target.length);
        target.set(part);
        return part.length;
      });
    },
  };
}
