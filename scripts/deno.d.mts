export function findDeno(): string | undefined;
