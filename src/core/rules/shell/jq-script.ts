/** Functions that reach beyond the input; a field, a key or a variable of the same name does not. */
const BEYOND = /(?:^|[^\w.$@])(?:env|import|include|modulemeta|get_search_list)(?!\w|\s*:)|\$\s*ENV\b/;

/** Whether a jq script reads neither the environment nor other files. */
export function isPlainJq(script: string): boolean {
  const code = withoutTexts(script);
  return code !== null && !BEYOND.test(code);
}

/**
 * The script without comments and strings, but with the expressions inside strings: `"\(env)"`. Null if versions of jq
 * would disagree about where a string ends.
 */
function withoutTexts(script: string): string | null {
  let code = "";
  /** For each enclosing string, how many brackets its current expression has open. */
  const open: number[] = [];
  let isText = false;
  for (let at = 0; at < script.length; at++) {
    const letter = script[at] ?? "";
    if (isText) {
      if (letter === '"') isText = false;
      else if (letter === "\\" && script[++at] === "(") {
        open.push(1);
        isText = false;
        code += " (";
      }
      continue;
    }
    if (letter === "#") {
      const [comment = ""] = /^[^\n]*/.exec(script.slice(at)) ?? [];
      if (/\\$|\r/.test(comment)) return null;
      at += comment.length;
      code += "\n";
      continue;
    }
    code += letter;
    if (letter === '"') isText = true;
    const depth = open.at(-1);
    if (depth === undefined || (letter !== "(" && letter !== ")")) continue;
    open[open.length - 1] = depth + (letter === "(" ? 1 : -1);
    if (open.at(-1) === 0) {
      open.pop();
      isText = true;
    }
  }
  return isText || open.length > 0 ? null : code;
}
