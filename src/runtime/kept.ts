/**
 * These are buffers that few plans need beside the resident ones: the first job of a session that needs them
 * adds and fills them, and they stay as long as the session. After the loss of a device its next session gets
 * them anew.
 */
import type { Segment, Session } from "./backend.ts";
import { assert } from "../core/errors.ts";
import type { BufferSpec, Sources } from "./source.ts";

/** A session has these buffers, which a segment fills. */
interface Kept {
  added: boolean;
  filled: Promise<void> | undefined;
}

const known = new WeakMap<Session, Map<number, Kept>>();
const numbers = new Map<string, number>();

/**
 * Returns a number that stands for what buffers hold, so that their names can tell it: a session may have
 * buffers of several.
 * @param key says what they hold
 */
export function keptNumber(key: string): number {
  const number = numbers.get(key) ?? numbers.size;
  numbers.set(key, number);
  return number;
}

/**
 * Returns the function that makes buffers resident, for `Job.kept`.
 * @param number that of what they hold
 * @param segment fills them
 */
export function keeping(number: number, buffers: readonly BufferSpec[], segment: Segment) {
  return (session: Session, sources: Sources): Promise<void> => {
    const all = known.get(session) ?? new Map<number, Kept>();
    known.set(session, all);
    const kept: Kept = all.get(number) ?? { added: false, filled: undefined };
    all.set(number, kept);
    if (!kept.filled) {
      kept.filled = fill(kept, session, buffers, segment, sources);
      kept.filled.catch(() => (kept.filled = undefined));
    }
    return kept.filled;
  };
}

async function fill(
  kept: Kept,
  session: Session,
  buffers: readonly BufferSpec[],
  segment: Segment,
  sources: Sources,
): Promise<void> {
  assert(session.add, "a backend that adds no buffers was given some to keep");
  if (!kept.added) await session.add(buffers);
  kept.added = true;
  await session.run(segment, sources);
}
