/** Programs of sed and awk that can neither run nor write anything. Whatever is not plainly so counts as if it could. */

const SED_ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/[IM]*|\+\d+|~\d+)`;
const SED_SUBSTITUTE = String.raw`s([^\\\na-zA-Z0-9 ])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiIMm0-9]*`;
const SED_MAP = String.raw`y([^\\\na-zA-Z0-9 ])(?:(?!\2)[^\\\n]|\\.)*\2(?:(?!\2)[^\\\n]|\\.)*\2`;
const SED_COMMAND = new RegExp(
  String.raw`^\s*(?:${SED_ADDRESS}(?:\s*,\s*${SED_ADDRESS})?)?\s*!?\s*(?:${SED_SUBSTITUTE}|${SED_MAP}|[pdDgGhHnNxP=]|[qQl]\s*\d*|[btT]\s*\w*|:\s*\w+|\{|\}|#[^\n]*)?\s*(?:[;\n]|(?=\})|$)`,
);
/** No honest one-liner is longer; it also bounds the cost of the pattern above. */
const MAX_SCRIPT = 1_000;

export function isPlainSed(script: string): boolean {
  if (script.length > MAX_SCRIPT) return false;
  let rest = script;
  while (rest.trim() !== "") {
    const [read = ""] = SED_COMMAND.exec(rest) ?? [];
    const opened = read === "" ? /^\s*(?:[\d$,]+|\/(?:[^/\\\n]|\\.)*\/)?\s*!?\s*\{/.exec(rest)?.[0] : undefined;
    const length = read.length > 0 ? read.length : (opened?.length ?? 0);
    if (length === 0) return false;
    rest = rest.slice(length);
  }
  return true;
}

/** No pipes, files, calls that run programs, or ways to reach functions by name; a pattern with one of these counts too. */
export function isPlainAwk(script: string): boolean {
  if (script.length > MAX_SCRIPT) return false;
  return !/[|>@]|\bgetline\b|\bsystem\b|\bENVIRON\b|\bARGV\b|\bPROCINFO\b/.test(script.replace(/>=|\|\|/g, ""));
}
