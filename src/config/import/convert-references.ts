import { splitBehindReferences } from "../../core/shape/expand-variables.ts";
import { PRODUCTS, type Product } from "./products.ts";
import { toSecretName, type Variables } from "./refer-secrets.ts";

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
  const { references } = PRODUCTS[product];
  if (references === "none") return { text: text.replaceAll("${", () => "$${"), foreign: [] };
  if (references === "env") return convertNamed(text, variables);
  if (references === "secrets") return convertSecrets(text, variables);
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
      return fallback === null ? note(toSecretName(rest), about) : `\${${toSecretName(rest)}:-${fallback}}`;
    }
    const fixed = FIXED.get(inner);
    if (fixed !== undefined) return fixed === "" ? inputs.folderName : fixed;
    foreign.push(whole);
    return whole;
  });
  const converted = known + tail;
  if (references === "braces") return { text: converted, foreign };
  const bare = references === "anywhere" ? /\$([A-Za-z_]\w*)/g : /^\$([A-Za-z_]\w*)$/;
  return { text: converted.replace(bare, (_, name: string) => note(name)), foreign };
}

/** `{env:NAME}`; what else is in such braces is read from elsewhere. */
function convertNamed(text: string, variables: Variables): Converted {
  const foreign: string[] = [];
  const converted = text
    .replaceAll("${", () => "$${")
    .replace(/\{(\w+):([^{}]*)\}/g, (whole, kind: string, name: string) => {
      if (kind !== "env" || !/^[A-Za-z_]\w*$/.test(name)) foreign.push(whole);
      else variables.note(name, null);
      return `\${${name}}`;
    });
  return { text: converted, foreign };
}

/** `${{ secrets.NAME }}`; what else is in such braces is known to the product alone. */
function convertSecrets(text: string, variables: Variables): Converted {
  const foreign: string[] = [];
  const converted = text.replace(/\$\{(?:\{\s*([\w.]*)[^{}]*\}\})?/g, (whole, inner: string | undefined) => {
    if (inner === undefined) return "$${";
    const [, name] = /^secrets\.([A-Za-z_]\w*)$/.exec(inner) ?? [];
    if (name === undefined) {
      foreign.push(whole);
      return whole;
    }
    variables.note(name, null);
    return `\${${name}}`;
  });
  return { text: converted, foreign };
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
