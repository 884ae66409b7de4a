import { expect, test } from "vitest";
import { fromLockText } from "./lock-text.ts";

const LOCK = '{\n  "version": 1,\n  "servers": {},\n  "tools": {}\n}\n';
const LONG = LOCK.replace("{}", `{ ${Array.from({ length: 9 }, (_, at) => `"server${at}": {}`).join(",\n")} }`);

test.each([
  ["a mark of a merge at the start", `<<<<<<< HEAD\n${LONG}`, 1],
  ["a mark of a merge further down", LOCK.replace('  "servers', '=======\n  "servers'), 3],
  ["a word that is no value", LONG.replace('{},\n"server5', '{ },\n"server4b": oops,\n"server5'), 8],
  ["a text that was cut", LOCK.slice(0, -4), 4],
  ["nothing", "", 1],
])("a lock that is no JSON is refused with its line: %s", (_, text, line) => {
  expect(() => fromLockText(text, "toolcrib.lock")).toThrow(
    expect.objectContaining({ code: "lock.invalid", message: expect.stringContaining(`toolcrib.lock:${line}: `) }),
  );
});
