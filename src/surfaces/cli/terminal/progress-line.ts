import { escapeText } from "../../../system/text/escape-text.ts";
import type { Io } from "./io.ts";
import { cutText } from "./text-width.ts";

const BETWEEN = 200;

/**
 * Says on a terminal what a person waits for, with the seconds, on one line that vanishes when the returned function is
 * called. Null says nothing for now. A stderr that is no terminal hears nothing.
 */
export function showProgress(io: Io, describe: (waited: number) => string | null): () => void {
  if (!canRewrite(io)) return () => {};
  const start = performance.now();
  let isShown = false;
  const show = (): void => {
    const waited = performance.now() - start;
    const text = describe(waited);
    if (text === null) return;
    const line = `${text} (${Math.round(waited / 1000)} s)`;
    io.err(`\r${cutText(escapeText(line), (io.columns ?? 80) - 1)}\u001b[K`);
    isShown = true;
  };
  show();
  const timer = setInterval(show, BETWEEN);
  return () => {
    clearInterval(timer);
    if (isShown) io.err("\r\u001b[K");
  };
}

/** A line on stderr can be written over. */
export function canRewrite({ errIsTTY, env }: Pick<Io, "errIsTTY" | "env">): boolean {
  return errIsTTY && env.TERM !== "dumb";
}
