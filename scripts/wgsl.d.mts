/** Returns WGSL without comments and needless spaces, and with locals of one letter. */
export function shortWgsl(text: string): string;
