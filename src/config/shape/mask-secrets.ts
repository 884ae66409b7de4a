import { type ConfigNode, listNode, mapNode, type Scalar, scalarNode } from "../../core/shape/node.ts";
import { fieldOf, optionFor, type Shape, type TextShape } from "../../core/shape/shape.ts";
import { replaceSecrets } from "../../system/text/secret-forms.ts";

export const MASK = "***";

const TELLING = /(?:token|key|secret|passw(?:or)?d|auth|credential|signature|sig)/i;
/** Nothing but references, perhaps after the name of a scheme: this names a secret and is none. */
export const ONLY_REFERENCES = /^(?:(?:Bearer|Basic|Token) )?(?:\$\{[A-Za-z_][A-Za-z0-9_]*\})+$/i;

/** How a possible secret is printed, by its name; null if the name of an option says that it is one. */
export type MaskNamed = (name: string | null, value: string) => string;

/** The same value with every secret replaced, by the table of keys. Everything that prints configuration uses this. */
export function maskSecrets(
  node: ConfigNode,
  shape: Shape,
  maskNamed: MaskNamed = (_, value) => maskText(value),
  name = "",
): ConfigNode {
  const mask = (inner: ConfigNode, as: Shape, key: string) => maskSecrets(inner, as, maskNamed, key);
  const named = (value: string) => maskNamed(name, value);
  switch (shape.kind) {
    case "text":
      return node.kind === "scalar" ? scalarNode(maskScalar(node.value, shape.secret, named), node.origin) : node;
    case "either": {
      const option = optionFor(shape, node);
      // A number in the place of a secret text is secret too.
      const secret = shape.options.flatMap((other) => (other.kind === "text" ? (other.secret ?? []) : []))[0];
      if (secret !== undefined && node.kind === "scalar")
        return scalarNode(maskScalar(node.value, secret, named), node.origin);
      return option === undefined ? node : mask(node, option, name);
    }
    case "list":
      return node.kind === "list" ? listNode(maskItems(node.items, shape.of, maskNamed), node.origin) : node;
    case "map":
    case "record": {
      if (node.kind !== "map") return node;
      const entries = [...node.entries].map(([key, value]): [string, ConfigNode] => {
        const inner = shape.kind === "map" ? shape.of : fieldOf(shape, key);
        return [key, inner === undefined ? value : mask(value, inner, key)];
      });
      return mapNode(entries, node.origin);
    }
    default:
      return node;
  }
}

/** `--token abc` and `--token=abc` among arguments, credentials and parameters named like secrets in addresses. */
function maskItems(items: readonly ConfigNode[], of: Shape, maskNamed: MaskNamed): readonly ConfigNode[] {
  if (of.kind !== "text" || of.secret !== "option") return items.map((item) => maskSecrets(item, of, maskNamed));
  const words = items.map((item) => (item.kind === "scalar" && typeof item.value === "string" ? item.value : null));
  const masked = maskWords(words, maskNamed);
  return items.map((item, at) => (words[at] === null ? item : scalarNode(masked[at] ?? null, item.origin)));
}

/** Null is no text and stays null. */
export function maskWords<T extends string | null>(words: readonly T[], maskNamed: MaskNamed): readonly (string | T)[] {
  let follows = false;
  return words.map((word) => {
    if (word === null) return word;
    const isOption = word.startsWith("-");
    const telling = isOption && TELLING.test(word.split("=", 1)[0] ?? "");
    const masked = follows && !isOption ? maskNamed(null, word) : maskArgument(word, telling, maskNamed);
    follows = telling && !word.includes("=");
    return masked;
  });
}

function maskArgument(value: string, telling: boolean, maskNamed: MaskNamed): string {
  const assign = value.indexOf("=");
  if (telling && assign !== -1) return `${value.slice(0, assign + 1)}${maskNamed(null, value.slice(assign + 1))}`;
  const header = /^([\w-]+:\s*)(.+)$/.exec(value);
  if (header?.[1] !== undefined && header[2] !== undefined && TELLING.test(header[1]))
    return header[1] + maskNamed(null, header[2]);
  return maskParts(value);
}

function maskScalar(value: Scalar, secret: TextShape["secret"], maskNamed: (value: string) => string): Scalar {
  if (secret === undefined || value === null) return value;
  if (secret === "all") return maskText(String(value));
  if (secret === "named") return maskNamed(String(value));
  return typeof value === "string" ? maskParts(value) : value;
}

function maskText(value: string): string {
  return value === "" || ONLY_REFERENCES.test(value) ? value : MASK;
}

/** What is a secret by its form, and the secret part of an address. */
export function maskParts(value: string): string {
  return replaceSecrets(value, MASK)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/?#@]*)@/i, (_, scheme: string, user: string) => {
      const [name, ...password] = user.split(":");
      return password.length === 0 ? `${scheme}${MASK}@` : `${scheme}${name}:${maskText(password.join(":"))}@`;
    })
    .replace(/([?&][^=&#]*=)([^&#]*)/g, (whole, name: string, text: string) =>
      TELLING.test(name) ? `${name}${maskText(text)}` : whole,
    );
}
