/**
 * A process that runs the command line again and again, one run after the other: a process of its own for
 * each takes most of a second to begin. It is told by messages what to run, and ends what a run writes to
 * stdout and to stderr with a mark. Exit codes and the listeners that a run adds are put back; its timers and
 * open handles are not looked at, which runs in processes of their own do.
 */
const [, , main] = process.argv;

// A command that failed ends its process a second later.
process.exit = () => undefined;

const events = ["SIGINT", "SIGTERM", "exit"];
let runs = 0;

process.on("message", async ({ args, folder, mark }) => {
  process.chdir(folder);
  process.argv = [process.execPath, main, ...args];
  process.exitCode = undefined;
  const emitters = [
    ...events.map((event) => [process, event]),
    [process.stdout, "error"],
    [process.stderr, "error"],
  ];
  const before = emitters.map(([emitter, event]) => emitter.listeners(event));
  await import(`${main}?run=${runs++}`);
  for (const [at, [emitter, event]] of emitters.entries())
    for (const listener of emitter.listeners(event))
      if (!before[at].includes(listener)) emitter.off(event, listener);
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  for (const stream of [process.stdout, process.stderr])
    await new Promise((resolve) => stream.write(mark, resolve));
  process.send(code);
});
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
