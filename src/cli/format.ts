/** Numbers for people. */

export function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

export function plural(amount: number, one: string, many = `${one}s`): string {
  return `${count(amount)} ${amount === 1 ? one : many}`;
}
