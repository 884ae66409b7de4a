/** The text between two lines of --- at the top of a Markdown file, and the text below. */
export interface FrontMatter {
  readonly front: string;
  readonly body: string;
}

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m;

/** Null if the file has no front matter. */
export function splitFrontMatter(text: string): FrontMatter | null {
  const match = FRONT_MATTER.exec(text);
  if (match === null || match.index !== 0) return null;
  return { front: match[1] ?? "", body: text.slice(match[0].length).trim() };
}

/**
 * Quotes values that are plain text and not YAML, such as `description: Use it when: …`. Products write and read such
 * files, so a reader tries this after the original text has failed. Line numbers are preserved.
 */
export function quotePlainValues(front: string): string {
  const lines = front.split("\n");
  return lines
    .map((line, at) => {
      const key = /^[A-Za-z][\w-]*:[ \t]+(?=\S)/.exec(line)?.[0];
      const value = key === undefined ? "" : line.slice(key.length).trimEnd();
      // If more is indented below, this is only the beginning of a list or a longer text.
      const goesOn = /^(?:[ \t]+\S|[-\]}])/.test(lines[at + 1] ?? "");
      if (key === undefined || goesOn || !isMisread(value)) return line;
      return `${key}${JSON.stringify(value)}${line.slice(key.length + value.length)}`;
    })
    .join("\n");
}

function isMisread(value: string): boolean {
  switch (value[0]) {
    case '"':
      return !/^"(?:[^"\\]|\\.)*"(?:\s+#.*)?$/.test(value);
    case "'":
      return !/^'(?:[^']|'')*'(?:\s+#.*)?$/.test(value);
    case "[":
      // A hint such as `[file] [line]`; an unclosed list stays a mistake.
      return /^\[[^[\]]*\]\s*[^\s#]/.test(value);
    case "*":
    case "@":
    case "`":
    case "%":
      return true;
    case "{":
    case "|":
    case ">":
    case "&":
    case "!":
    case "#":
      return false;
    default:
      return /:(?:\s|$)/.test(value);
  }
}
