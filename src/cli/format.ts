/** Writes numbers as people read them. */
import { plural as words } from "../core/plural.ts";

export function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

export function plural(amount: number, one: string, many?: string): string {
  return words(amount, one, many, count(amount));
}

/** Writes bytes in powers of 1024: "64 KiB". */
export function bytesText(bytes: number): string {
  const power = Math.min(4, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}
