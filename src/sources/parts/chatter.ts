import { cleanText } from "../../system/process/stderr-tail.ts";
import type { SourceFault } from "../source.ts";

/** What a program wrote to its standard output although it is no message of the protocol. */
export interface Chatter {
  /** The first line; null while there is none. */
  readonly fault: SourceFault | null;
  note(text: string): void;
}

const LONGEST = 200;

/** `onFault` is called once. */
export function createChatter(redact: (text: string) => string, onFault: (fault: SourceFault) => void): Chatter {
  let fault: SourceFault | null = null;
  return {
    get fault() {
      return fault;
    },
    note(text) {
      const line = fault === null ? redact(cleanText(text)).trim().slice(0, LONGEST) : "";
      if (line === "") return;
      fault = { kind: "chatter", line };
      onFault(fault);
    },
  };
}
