/** This module says what a self-test is given, and what it reports. */
import type { kneighbors } from "../ops/knn/index.ts";
import type { BackendTraits } from "../runtime/backend.ts";
import type { ArrayOptions } from "../runtime/onArrays.ts";

/**
 * `selfTest` tests these operators. They are the library's own, and are handed in so that a page that tests
 * nothing need not load them.
 * @example
 * const own: SelfTestOperators = { kneighbors, scan, reduce };
 * const sums = await own.scan(Uint32Array.of(1, 2, 3), {});
 * sums; // => [1, 3, 6]
 */
export interface SelfTestOperators {
  /** It searches; its neighbours are compared with those of plain float64 loops. */
  readonly kneighbors: typeof kneighbors;
  /** Returns the prefix sums. */
  readonly scan: (input: Uint32Array, options: ArrayOptions) => Promise<Uint32Array>;
  /** Returns the minimum of each row. */
  readonly reduce: (
    input: Float32Array,
    options: ArrayOptions & { readonly op: "min"; readonly rows: number },
  ) => Promise<Float32Array>;
}

/**
 * `selfTest` takes these options.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const seen: string[] = [];
 * const options: SelfTestOptions = { onCheck: (name) => seen.push(name) };
 * await selfTest(device, { kneighbors, scan, reduce }, options);
 * seen; // => ["transfer", "k-NN", "scan", "reduce"]
 * device.dispose();
 */
export interface SelfTestOptions {
  /** Ends the test, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the name of each check before it starts. */
  readonly onCheck?: ((name: SelfTestCheck["name"]) => void) | undefined;
}

/**
 * One check of a self-test.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const { checks } = await selfTest(device, { kneighbors, scan, reduce });
 * const [transfer]: readonly SelfTestCheck[] = checks;
 * transfer.name; // => "transfer"
 * transfer.difference; // => null
 * device.dispose();
 */
export interface SelfTestCheck {
  readonly name: "transfer" | "k-NN" | "scan" | "reduce";
  readonly status: "ok" | "failed";
  /** It describes the job, for people. */
  readonly job: string;
  /** This difference or error was found; null when there was none. */
  readonly difference: string | null;
  /** They are empty if the check failed. */
  readonly rates: SelfTestRates;
}

/**
 * Rates are per second, measured from arrays of the host to arrays of the host, after a run that is not
 * counted.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const { checks } = await selfTest(device, { kneighbors, scan, reduce });
 * const { pairs = 0, flops }: SelfTestRates = checks[1].rates;
 * flops === 2 * 64 * pairs; // => true
 * device.dispose();
 */
export interface SelfTestRates {
  /** It counts (query, reference) pairs. */
  readonly pairs?: number;
  /** It counts multiplications and additions. */
  readonly flops?: number;
  /** Bytes read and written. */
  readonly bytes?: number;
  readonly uploadBytes?: number;
  readonly readBackBytes?: number;
}

/**
 * `selfTest` returns this, which is plain data.
 * @example
 * const device = await Device.create({ backend: "cpu" });
 * const report: SelfTestReport = await selfTest(device, { kneighbors, scan, reduce });
 * report.checks.length; // => 4
 * device.dispose();
 */
export interface SelfTestReport {
  /** It is "failed" if any check failed, by a wrong answer or an error. */
  readonly status: "ok" | "failed";
  /**
   * They are the results of the tests that a GPU undergoes when it is opened; null on the CPU and in
   * software.
   */
  readonly traits: BackendTraits | null;
  readonly checks: readonly SelfTestCheck[];
}
