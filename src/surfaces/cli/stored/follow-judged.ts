import { stat } from "node:fs/promises";
import { openAuditTail } from "../../../runtime/audit/audit-tail.ts";
import type { JudgedRows } from "../../http/api/ports.ts";
import { watchFiles } from "../configuration/watch-files.ts";

const NEVER = new AbortController().signal;

/**
 * The calls that clients run themselves, as their hooks write them into a workspace's log from now on: whichever process
 * answered the hook, it wrote there.
 */
export function followJudged(path: string, onError: (text: string, error: unknown) => void): JudgedRows {
  return (listener) => {
    let stop = (): void => {};
    let isOver = false;
    const start = async (): Promise<void> => {
      const { size } = await stat(path).catch(() => ({ size: 0 }));
      const tail = await openAuditTail(path, size);
      if (isOver) return;
      stop = watchFiles([path], look, onError);

      async function look(): Promise<readonly string[]> {
        for await (const row of tail.read(NEVER)) if (row.type === "call.judged" && !isOver) listener(row);
        return [path];
      }
    };
    start().catch((error: unknown) => onError("calls that clients run themselves cannot be shown", error));
    return () => {
      isOver = true;
      stop();
    };
  };
}
