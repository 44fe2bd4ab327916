/** A device whose memory is smaller than it says. */
import { OutOfMemoryError, type Device } from "../../dist/node.js";

/**
 * From now on segments that need more than `limit` bytes, resident ones included, fail as if memory were
 * full.
 */
export function limitMemory(device: Device, limit: number): void {
  const { backend } = device;
  const sum = (buffers: readonly { bytes: number }[]) =>
    buffers.reduce((total, { bytes }) => total + bytes, 0);
  const open = backend.open.bind(backend);
  backend.open = async (resident) => {
    const session = await open(resident);
    const run = session.run.bind(session);
    session.run = (segment, sources, options) => {
      const bytes = sum(resident) + sum(segment.buffers);
      if (bytes > limit) return Promise.reject(new OutOfMemoryError(`${bytes} bytes are too many`, bytes));
      return run(segment, sources, options);
    };
    return session;
  };
}
