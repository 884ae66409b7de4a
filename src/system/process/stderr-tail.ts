/** The end of what a process wrote to its error stream. */
export interface StderrTail {
  push(chunk: Buffer): void;
  /** Clean text, or null if there is none. */
  read(): string | null;
}

const TAIL_BYTES = 4096;

export function createStderrTail(): StderrTail {
  let tail = Buffer.alloc(0);
  return {
    push(chunk) {
      const all = chunk.length >= TAIL_BYTES ? chunk : Buffer.concat([tail, chunk]);
      tail = Buffer.from(all.subarray(Math.max(0, all.length - TAIL_BYTES)));
    },
    read() {
      const text = cleanText(tail.toString("utf8")).trim();
      return text === "" ? null : text;
    },
  };
}

/** Colours, cursor movements and titles, including an unfinished sequence at the end. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|[ -/]*(?:[0-~]|$))/g;
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Text that is safe to show in a terminal: nothing in it moves the cursor, colours, hides or reorders. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(ESCAPES, "").replace(CONTROLS, "");
}
