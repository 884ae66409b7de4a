/** More alternatives than this are no pattern that a person wrote. */
export const MAX_ALTERNATIVES = 64;

const SPECIAL = /[*?[\\]/;

/** Whether a pattern matches only the name that it spells. */
export function isLiteralName(pattern: string): boolean {
  return !SPECIAL.test(pattern);
}

/** Matches one name, with `*`, `?` and `[…]`; linear in the name for each `*`, never exponential. */
export function matchesName(pattern: string, name: string): boolean {
  if (isLiteralName(pattern)) return pattern === name;
  const tokens = toTokens(pattern);
  let token = 0;
  let at = 0;
  let star = -1;
  let retry = 0;
  while (at < name.length) {
    const test = tokens[token];
    if (test === "*") {
      star = token++;
      retry = at;
    } else if (test?.(name[at] ?? "") === true) {
      token++;
      at++;
    } else if (star !== -1) {
      token = star + 1;
      at = ++retry;
    } else return false;
  }
  while (tokens[token] === "*") token++;
  return token === tokens.length;
}

/** Matches a whole path, segment by segment; `**` matches any number of segments. */
export function matchesSegments(pattern: readonly string[], path: readonly string[]): boolean {
  // Most patterns of a long list contain a name that the path does not.
  if (pattern.some((segment) => isLiteralName(segment) && !path.includes(segment))) return false;
  let reach = new Set([0]);
  for (const segment of pattern) {
    const next = new Set<number>();
    for (const at of reach) {
      if (segment === "**") for (let later = at; later <= path.length; later++) next.add(later);
      else if (at < path.length && matchesName(segment, path[at] ?? "")) next.add(at + 1);
    }
    if (next.size === 0) return false;
    reach = next;
  }
  return reach.has(path.length);
}

/** `*.{ts,js}` as two patterns. At most one more than the limit, so that the caller can tell. */
export function expandAlternatives(pattern: string): readonly string[] {
  const found: string[] = [];
  for (const one of alternativesOf(pattern)) if (found.push(one) > MAX_ALTERNATIVES) break;
  return found;
}

/** Lazily: a sequence of groups has more combinations than anybody could wait for. */
function* alternativesOf(pattern: string): Generator<string> {
  const [whole, before = "", inner = "", behind = ""] = /^([^{]*)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern) ?? [];
  if (whole === undefined) yield pattern;
  else for (const one of inner.split(",")) yield* alternativesOf(before + one + behind);
}

type Token = "*" | ((character: string) => boolean);

function toTokens(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? "";
    const close = character === "[" ? pattern.indexOf("]", at + 2) : -1;
    if (character === "*") tokens.push("*");
    else if (character === "?") tokens.push(() => true);
    else if (close !== -1) {
      tokens.push(toClass(pattern.slice(at + 1, close)));
      at = close;
    } else {
      const literal = character === "\\" ? (pattern[++at] ?? "\\") : character;
      tokens.push((found) => found === literal);
    }
  }
  return tokens;
}

function toClass(body: string): (character: string) => boolean {
  const negated = /^[!^]/.test(body);
  const members = negated ? body.slice(1) : body;
  return (character) => {
    for (let at = 0; at < members.length; at++) {
      const from = members[at] ?? "";
      const isRange = members[at + 1] === "-" && at + 2 < members.length;
      const to = isRange ? (members[at + 2] ?? "") : from;
      if (character >= from && character <= to) return !negated;
      if (isRange) at += 2;
    }
    return negated;
  };
}
