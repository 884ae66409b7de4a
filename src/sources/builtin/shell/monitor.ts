import { RE2JS } from "re2js";
import { waitUntil } from "../../../system/time/wait-until.ts";
import type { BuiltinHandler } from "../parts/handler.ts";
import { fail, succeed } from "../parts/results.ts";
import type { CommandTable } from "./command-table.ts";
import { describeCommand, toStructured } from "./describe-command.ts";
import { findCommand, toSeconds, unknownId } from "./shell-tools.ts";

const USUAL_WAIT = 120;
/** Characters of output, from the end, that it holds while it waits. */
const MOST_KEPT = 40_000;
const LONGEST_PATTERN = 1_000;

/** `monitor`: waits until a background command writes a matching line, or ends. */
export function createMonitor(table: CommandTable): BuiltinHandler {
  return async ({ id, until, wait }, { signal }) => {
    const command = findCommand(table, id);
    if (command === null) return unknownId(table, id);
    const fits = typeof until === "string" && until !== "" ? compile(until) : () => false;
    if (fits === null) return fail('"until" is no regular expression that can be used (RE2: no look-around).');
    let [text, leftOut, from] = ["", 0, 0];
    let line: string | null = null;
    const look = (): boolean => {
      if (line === null && command.hasOutput) {
        const output = command.read();
        text += output.text;
        leftOut += output.leftOut;
        line = text.slice(from).split("\n").find(fits) ?? null;
        // The last line may be incomplete.
        from = text.lastIndexOf("\n") + 1;
        const over = Math.max(0, text.length - MOST_KEPT);
        [text, from, leftOut] = [text.slice(over), Math.max(0, from - over), leftOut + over];
      }
      return line !== null || command.state === "ended";
    };
    await waitUntil(look, command.watch, { within: toSeconds(wait, USUAL_WAIT) * 1_000, signal });
    table.forget(command.id);
    const output = { text, leftOut };
    const found = line === null ? "" : `[found: ${String(line).slice(0, 500)}]\n`;
    const none = line === null && command.state !== "ended" ? "[no such line yet]\n" : "";
    return succeed(found + none + describeCommand(command, output), { ...toStructured(command, output), line });
  };
}

function compile(pattern: string): ((line: string) => boolean) | null {
  if (pattern.length > LONGEST_PATTERN) return null;
  try {
    const regex = RE2JS.compile(pattern);
    return (line) => regex.matcher(line).find();
  } catch {
    return null;
  }
}
