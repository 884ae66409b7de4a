import type { AuditWriter } from "./audit-writer.ts";

/** A writer that is opened with its first row. Rows are buffered until then, and dropped if it cannot be opened. */
export function createLateWriter(
  open: () => Promise<AuditWriter>,
  onError: (text: string, error: unknown) => void,
): AuditWriter {
  const waiting: (() => string)[] = [];
  let writer: AuditWriter | null = null;
  let opening: Promise<void> | null = null;
  let isBroken = false;
  const begin = async (): Promise<void> => {
    try {
      const opened = await open();
      for (const text of waiting.splice(0)) opened.add(text);
      writer = opened;
    } catch (error) {
      isBroken = true;
      waiting.length = 0;
      onError("the audit log could not be opened; calls go on without it", error);
    }
  };
  return {
    get isBroken() {
      return isBroken || writer?.isBroken === true;
    },
    add(text) {
      if (writer !== null) return writer.add(text);
      if (isBroken) return;
      waiting.push(text);
      opening ??= begin();
    },
    async flush() {
      await opening;
      await writer?.flush();
    },
    flushNow: () => writer?.flushNow(),
    async close() {
      await opening;
      await writer?.close();
    },
  };
}
