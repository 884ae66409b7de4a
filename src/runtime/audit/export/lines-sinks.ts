import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { RowSink } from "../carry-rows.ts";
import { type RowFormat, toExported } from "./exported-row.ts";

const MOST_BYTES = 1024 * 1024;

/** JSON lines at the end of a file, opened by its name each time, so that others can put it aside. */
export function fileSink(path: string, format: RowFormat): RowSink {
  return {
    ...{ name: `file ${path}`, mostBytes: MOST_BYTES, close: async () => {} },
    async send(rows) {
      await mkdir(dirname(path), { recursive: true });
      const file = await open(path, "a", 0o600);
      try {
        await file.writeFile(rows.map((row) => `${toExported(row, format).text}\n`).join(""));
        await file.datasync();
      } finally {
        await file.close();
      }
    },
  };
}

/** Writes to standard output; resolves once the system has it. */
export type WriteOut = (text: string) => Promise<void>;

export function stdoutSink(write: WriteOut, format: RowFormat): RowSink {
  return {
    ...{ name: "stdout", mostBytes: MOST_BYTES, close: async () => {} },
    send: (rows) => write(rows.map((row) => `${toExported(row, format).text}\n`).join("")),
  };
}
