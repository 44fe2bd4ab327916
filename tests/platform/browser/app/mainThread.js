// How long the main thread is kept from everything else: the longest task, as the browser sees it.

/** @returns a function that stops watching and says what was seen, in milliseconds */
export function watchMainThread() {
  let longestTask = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestTask = Math.max(longestTask, duration);
  });
  observer.observe({ type: "longtask" });
  return async () => {
    // Tasks are reported when they are over, one turn later.
    await new Promise((resolve) => setTimeout(resolve, 50));
    observer.disconnect();
    return { longestTask };
  };
}
