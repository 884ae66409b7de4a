/** Text that grows as a browser would lay it out: spaces collapse, blocks start new lines. */
export interface FlowingText {
  /** Characters of the page written so far. */
  readonly length: number;
  /** All characters written so far, including markup and layout. */
  readonly size: number;
  add(text: string): void;
  /** Text whose spaces and line breaks stay, as in `<pre>`. */
  addPlain(text: string): void;
  /** Puts at least this many line breaks before what follows. */
  breakLines(count: 1 | 2): void;
  /** A prefix for what follows; dropped if nothing follows before `close`. */
  open(prefix: string): void;
  /** Ends what the last `open` began. */
  close(suffix: string): void;
  toString(): string;
}

export function createFlowingText(): FlowingText {
  const parts: string[] = [];
  const prefixes: string[] = [];
  let length = 0;
  let size = 0;
  let breaks = 0;
  /** A space that counts only if something follows on the same line. */
  let blank = false;

  const push = (part: string) => {
    parts.push(part);
    size += part.length;
  };
  const write = (text: string) => {
    if (length > 0 && breaks > 0) push("\n".repeat(breaks));
    else if (length > 0 && blank) push(" ");
    [breaks, blank] = [0, false];
    for (const prefix of prefixes.splice(0)) push(prefix);
    push(text);
    length += text.length;
  };
  return {
    get length() {
      return length;
    },
    get size() {
      return size;
    },
    add(text) {
      const collapsed = text.replace(/[ \t\r\n\f\u00a0]+/g, " ");
      const trimmed = collapsed.trim();
      blank ||= collapsed.startsWith(" ");
      if (trimmed === "") return;
      write(trimmed);
      blank = collapsed.endsWith(" ");
    },
    addPlain(text) {
      if (text !== "") write(text);
    },
    breakLines(count) {
      breaks = Math.max(breaks, count);
    },
    open(prefix) {
      prefixes.push(prefix);
    },
    close(suffix) {
      if (prefixes.length > 0) prefixes.pop();
      else push(suffix);
    },
    toString: () => parts.join(""),
  };
}
