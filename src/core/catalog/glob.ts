/** True where the pattern has a `*`. */
export function isGlob(pattern: string): boolean {
  return pattern.includes("*");
}

/** Matches with `*` for any run of characters; linear in the text for each part of the pattern. */
export function toGlob(pattern: string): (text: string) => boolean {
  const parts = pattern.split("*");
  const head = parts[0] ?? "";
  const tail = parts.at(-1) ?? "";
  const middle = parts.slice(1, -1).filter((part) => part !== "");
  if (parts.length === 1) return (text) => text === pattern;
  return (text) => {
    if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
    const end = text.length - tail.length;
    let at = head.length;
    for (const part of middle) {
      const found = text.indexOf(part, at);
      if (found === -1 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}
