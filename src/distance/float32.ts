/** These are the bounds of float32. */

/** No normal number is smaller: a device may take what is smaller for 0. */
export const SMALLEST_NORMAL = 2 ** -126;

/** No finite number is larger. */
export const LARGEST_FLOAT = (2 - 2 ** -23) * 2 ** 127;
