/** This module writes numbers of things, such as "1 row" and "2 rows". */

/** @param many the word for several @param text the number as it is written */
export function plural(amount: number, one: string, many = `${one}s`, text = String(amount)): string {
  return `${text} ${amount === 1 ? one : many}`;
}
