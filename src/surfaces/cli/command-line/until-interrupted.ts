import type { CommandInput } from "./command.ts";

interface Closable {
  close(): Promise<void>;
  /** Resolves when it has ended by itself; absent where it never does. */
  readonly ended?: Promise<void>;
}

/** Runs until Ctrl-C, which closes it in peace; a second one ends the process at once. */
export async function untilInterrupted(input: CommandInput, start: () => Promise<Closable>): Promise<number> {
  const { io } = input;
  const starting = start();
  const interrupted = new Promise<void>((resolve) => {
    io.onInterrupt(async () => {
      resolve();
      if (io.errIsTTY) io.err("\nEnding; Ctrl-C again does not wait for running calls.\n");
      await starting.then((running) => running.close()).catch(() => undefined);
    });
  });
  const running = await starting;
  const how = await Promise.race([
    interrupted.then(() => "interrupted" as const),
    ...(running.ended === undefined ? [] : [running.ended.then(() => "ended" as const)]),
  ]);
  // The signal ends this process once everything is closed; until then there is nothing more to do.
  if (how === "interrupted") await new Promise<never>(() => {});
  await running.close();
  return 0;
}
