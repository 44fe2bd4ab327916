/** The marks of pictures as SVG: axes, bars, lines and points, in the units of a view box. */
import { markup, type Markup } from "./markup.ts";

/** A bar beside a number, from 0 to 1; the number says it, so that readers of the screen skip it. */
export function meter(share: number): Markup {
  const width = (100 * Math.max(0, Math.min(1, Number.isNaN(share) ? 0 : share))).toFixed(1);
  return markup`<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><path class="track" d="M0 0h100v10H0z"/><path class="s0" d="M0 0h${width}v10H0z"/></svg>`;
}
