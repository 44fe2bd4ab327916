// How long the main thread is kept from everything else: the longest task, as the browser sees it, and the
// longest silence of a timer that is due every 16 ms.

/** @returns a function that stops watching and says what was seen, in milliseconds */
export function watchMainThread() {
  let longestTask = 0;
  let longestGap = 0;
  let last = performance.now();
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestTask = Math.max(longestTask, duration);
  });
  observer.observe({ type: "longtask" });
  const timer = setInterval(() => {
    const now = performance.now();
    longestGap = Math.max(longestGap, now - last);
    last = now;
  }, 16);
  return async () => {
    clearInterval(timer);
    // Tasks are reported when they are over, one turn later.
    await new Promise((resolve) => setTimeout(resolve, 50));
    observer.disconnect();
    return { longestTask, longestGap };
  };
}
