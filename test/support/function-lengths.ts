import { type Node, parse } from "acorn";
import { transform } from "sucrase";

/** A function by its name, or that of what it is assigned to, with the lines from its first to its last. */
export interface MeasuredFunction {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

/** Every function of a file in TypeScript that has more lines than this, blank ones and comments counted. */
export function findLongFunctions(path: string, text: string, most: number): readonly MeasuredFunction[] {
  if (text.split("\n").length <= most) return [];
  const isPage = path.endsWith("x");
  const { code } = transform(text, {
    transforms: isPage ? ["typescript", "jsx"] : ["typescript"],
    ...(isPage ? { jsxRuntime: "automatic", production: true } : {}),
    disableESTransforms: true,
    preserveDynamicImport: true,
  });
  const long: MeasuredFunction[] = [];
  visit(parse(code, { ecmaVersion: "latest", sourceType: "module", locations: true }), "", (node, name) => {
    if (!node.type.includes("Function") || node.loc === null || node.loc === undefined) return;
    const lines = node.loc.end.line - node.loc.start.line + 1;
    if (lines > most) long.push({ name: nameIn(node) ?? name, line: node.loc.start.line, lines });
  });
  return long;
}

function visit(value: unknown, name: string, seen: (node: Node, name: string) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, name, seen);
  if (!isNode(value)) return;
  seen(value, name);
  const own = nameIn(value) ?? name;
  for (const child of Object.values(value)) visit(child, own, seen);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function nameIn(node: object): string | null {
  for (const named of ["id", "key"] as const) {
    const found: unknown = Reflect.get(node, named);
    if (typeof found === "object" && found !== null && "name" in found && typeof found.name === "string")
      return found.name;
  }
  return null;
}
