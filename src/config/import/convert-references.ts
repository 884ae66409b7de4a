import { splitBehindReferences } from "../../core/shape/expand-variables.ts";
import type { Product } from "./find-foreign.ts";
import { toName, type Variables } from "./refer-secrets.ts";

export interface Inputs {
  /** What VS Code would ask for, by id. */
  readonly asked: ReadonlyMap<string, AskedInput>;
  readonly folderName: string;
  readonly home: string;
}

export interface AskedInput {
  readonly about: string | null;
  /** The value of an empty answer; null if that must not be written down. */
  readonly fallback: string | null;
}

export interface Converted {
  readonly text: string;
  /** References without a meaning outside the product. */
  readonly foreign: readonly string[];
}

/** A product's references in the form `${NAME}`; everything else in the text stays literal. */
export function convertReferences(text: string, product: Product, inputs: Inputs, variables: Variables): Converted {
  if (product === "claude-desktop" || product === "codex")
    return { text: text.replaceAll("${", () => "$${"), foreign: [] };
  const foreign: string[] = [];
  const note = (name: string, about: string | null = null): string => {
    variables.note(name, about);
    return `\${${name}}`;
  };
  const [head, tail] = splitBehindReferences(text);
  const known = head.replace(/\$\{([^}]*)\}/g, (whole, inner: string) => {
    const [kind, rest] = inner.split(/:(.*)/s, 2);
    if (/^[A-Za-z_]\w*(?::-.*)?$/s.test(inner) && !FIXED.has(inner)) {
      if (rest === undefined) note(inner);
      return whole;
    }
    if (kind === "env" && rest !== undefined && /^\w+$/.test(rest)) return note(rest);
    if (kind === "input" && rest) {
      const { about = null, fallback = null } = inputs.asked.get(rest) ?? {};
      return fallback === null ? note(toName(rest), about) : `\${${toName(rest)}:-${fallback}}`;
    }
    const fixed = FIXED.get(inner);
    if (fixed !== undefined) return fixed === "" ? inputs.folderName : fixed;
    foreign.push(whole);
    return whole;
  });
  const converted = known + tail;
  if (product === "gemini")
    return { text: converted.replace(/\$([A-Za-z_]\w*)/g, (_, name: string) => note(name)), foreign };
  if (product !== "copilot" && !product.startsWith("deerflow")) return { text: converted, foreign };
  return { text: converted.replace(/^\$([A-Za-z_]\w*)$/, (_, name: string) => note(name)), foreign };
}

/** Servers start in the workspace, so that is what a dot means there. */
const FIXED = new Map([
  ["workspaceFolder", "."],
  ["workspaceRoot", "."],
  ["CLAUDE_PROJECT_DIR", "."],
  ["workspaceFolderBasename", ""],
  ["userHome", "${HOME}"],
  ["pathSeparator", "/"],
  ["/", "/"],
]);
