import type { CommandInput } from "./command.ts";
import { toJson } from "./escape-text.ts";

/** The answer of a command: one JSON document with `--json`, else what people read. */
export function printAnswer({ io, args }: CommandInput, document: unknown, text: () => string): void {
  io.out(args.has("json") ? toJson(document, io.isTTY) : text());
}
