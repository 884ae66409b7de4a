import { OWNER_KINDS, type Owner } from "../../core/tool/tool.ts";

/** `connection:NAME` and `extension:NAME` name their kind; any other text is the name of a host. */
export function toOwner(text: string): Owner {
  const colon = text.indexOf(":");
  const kind = OWNER_KINDS.find((known) => known === text.slice(0, Math.max(0, colon)));
  const name = text.slice(colon + 1);
  return kind === undefined || name === "" ? { kind: "host", name: text } : { kind, name };
}

export function ownerKey({ kind, name }: Owner): string {
  return `${kind}:${name}`;
}

/** Hosts, then connections, then extensions (N6). */
export function byOwnerKind(left: Owner, right: Owner): number {
  return OWNER_KINDS.indexOf(left.kind) - OWNER_KINDS.indexOf(right.kind);
}
