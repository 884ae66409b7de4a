import { toJson } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "./command.ts";

/** The answer of a command: one JSON document with `--json`, else what people read. */
export function printAnswer({ io, args }: CommandInput, document: unknown, text: () => string): void {
  io.out(args.has("json") ? toJson(document, io.isTTY) : text());
}
