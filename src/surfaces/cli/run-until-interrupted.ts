import type { Notice } from "../../core/codes/reason.ts";
import { escapeLines } from "../../system/text/escape-text.ts";
import type { CommandInput } from "./command.ts";
import type { RunningCrib } from "./running-crib.ts";

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

/** Takes over changed configuration and says what came of it, with what is odd about it and was not before. */
export function followReloads(running: RunningCrib, { io, log }: CommandInput): void {
  let known = new Set(running.found.config.notices.map(toKey));
  running.follow((reload) => {
    const text =
      reload.kind === "done"
        ? `Configuration reloaded: ${reload.summary}.`
        : `The configuration cannot be used, so the previous one stays: ${reload.text}`;
    io.err(`${escapeLines(text)}\n`);
    if (reload.kind !== "done") return;
    const { notices } = reload.found.config;
    log.notices(notices.filter((notice) => !known.has(toKey(notice))));
    known = new Set(notices.map(toKey));
  });
}

function toKey({ code, text }: Notice): string {
  return `${code} ${text}`;
}
