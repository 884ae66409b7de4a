import { type ConfigNode, listNode, mapNode, type Scalar, scalarNode } from "../../core/shape/node.ts";
import { fieldOf, optionFor, type Shape } from "../../core/shape/shape.ts";

const MASK = "***";

const TELLING = /(?:token|key|secret|passw(?:or)?d|auth|credential|signature|sig)/i;
/** Nothing but references, perhaps after the name of a scheme: this names a secret and is none. */
const ONLY_REFERENCES = /^(?:(?:Bearer|Basic|Token) )?(?:\$\{[A-Za-z_][A-Za-z0-9_]*\})+$/i;

/** The same value with every secret replaced, going by the table of keys. Whatever prints configuration uses this. */
export function maskSecrets(node: ConfigNode, shape: Shape): ConfigNode {
  switch (shape.kind) {
    case "text":
      return node.kind === "scalar" ? scalarNode(maskScalar(node.value, shape.secret), node.origin) : node;
    case "either": {
      const option = optionFor(shape, node);
      const isSecret = shape.options.some((other) => other.kind === "text" && other.secret === "all");
      if (isSecret && node.kind === "scalar") return scalarNode(maskScalar(node.value, "all"), node.origin);
      return option === undefined ? node : maskSecrets(node, option);
    }
    case "list":
      return node.kind === "list" ? listNode(maskItems(node.items, shape.of), node.origin) : node;
    case "map":
    case "record": {
      if (node.kind !== "map") return node;
      const entries = [...node.entries].map(([key, value]): [string, ConfigNode] => {
        const inner = shape.kind === "map" ? shape.of : fieldOf(shape, key);
        return [key, inner === undefined ? value : maskSecrets(value, inner)];
      });
      return mapNode(entries, node.origin);
    }
    default:
      return node;
  }
}

/** `--token abc` and `--token=abc` among arguments, credentials and telling parameters in addresses. */
function maskItems(items: readonly ConfigNode[], of: Shape): readonly ConfigNode[] {
  if (of.kind !== "text" || of.secret !== "option") return items.map((item) => maskSecrets(item, of));
  let follows = false;
  return items.map((item) => {
    if (item.kind !== "scalar" || typeof item.value !== "string") return item;
    const { value } = item;
    const isOption = value.startsWith("-");
    const telling = isOption && TELLING.test(value.split("=", 1)[0] ?? "");
    const masked = follows && !isOption ? maskText(value) : maskArgument(value, telling);
    follows = telling && !value.includes("=");
    return scalarNode(masked, item.origin);
  });
}

function maskArgument(value: string, telling: boolean): string {
  const assign = value.indexOf("=");
  if (telling && assign !== -1) return `${value.slice(0, assign + 1)}${maskText(value.slice(assign + 1))}`;
  const header = /^([\w-]+:\s*)(.+)$/.exec(value);
  if (header?.[1] !== undefined && header[2] !== undefined && TELLING.test(header[1]))
    return header[1] + maskText(header[2]);
  return maskAddress(value);
}

function maskScalar(value: Scalar, secret: "all" | "url" | "option" | undefined): Scalar {
  if (secret === undefined || value === null) return value;
  if (secret === "all") return maskText(String(value));
  return typeof value === "string" ? maskAddress(value) : value;
}

function maskText(value: string): string {
  return value === "" || ONLY_REFERENCES.test(value) ? value : MASK;
}

function maskAddress(value: string): string {
  return value
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/?#@]*)@/i, (_, scheme: string, user: string) => {
      const [name, ...password] = user.split(":");
      return password.length === 0 ? `${scheme}${MASK}@` : `${scheme}${name}:${maskText(password.join(":"))}@`;
    })
    .replace(/([?&][^=&#]*=)([^&#]*)/g, (whole, name: string, text: string) =>
      TELLING.test(name) ? `${name}${maskText(text)}` : whole,
    );
}
