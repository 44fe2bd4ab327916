/** One file of a bundle: a chunk has code, an asset a source. */
export interface BundleFile {
  readonly fileName: string;
  readonly code?: string;
  readonly source?: string | Uint8Array;
}

export interface BundleOptions {
  readonly root: string;
  readonly alias?: Readonly<Record<string, string>>;
  readonly outDir?: string;
}

export function bundle(input: string, options: BundleOptions): Promise<readonly BundleFile[]>;
