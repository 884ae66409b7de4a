import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempWorkspace } from "../../../test/temp-workspace.ts";
import { createAuditWriter } from "./audit-writer.ts";

test("a row that cannot be made is given up, with a word about it, and the others are written", async () => {
  const path = join(tempWorkspace().project, "audit.jsonl");
  const told: string[] = [];
  let lost = 0;
  const writer = await createAuditWriter({
    path,
    onError: (text) => void told.push(text),
    onMended: (text) => void told.push(text),
    head: () => ({ run: "run", seq: 0, hash: "" }),
    onLost: () => {
      lost += 1;
    },
    onOpened: () => "opened\n",
  });
  writer.add(() => "one\n");
  writer.add(() => {
    throw new RangeError("Maximum call stack size exceeded");
  });
  writer.add(() => "two\n");
  await writer.close();
  expect(readFileSync(path, "utf8")).toBe("opened\none\ntwo\n");
  expect([told, lost]).toEqual([["a row of the audit log could not be made"], 1]);
});
