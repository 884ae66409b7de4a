import { hash } from "node:crypto";
import type { Config } from "../../config/config.ts";
import type { Catalog } from "../../core/catalog/catalog.ts";
import type { JudgedUnder } from "./audit-row.ts";

/** What decides about a session's calls at a moment. */
export interface DecidingParts {
  readonly config: Pick<Config, "written" | "agent">;
  readonly toolset: { readonly catalog: Pick<Catalog, "hash"> };
}

/** By the settings as written, which views of one configuration share. */
const KNOWN = new WeakMap<Config["written"], string>();

/** What a call of a session is judged under now. */
export function judgedUnder({ config: { written }, toolset: { catalog } }: DecidingParts): JudgedUnder {
  const policy = KNOWN.get(written) ?? hash("sha256", JSON.stringify(written, toPlain), "hex").slice(0, 32);
  KNOWN.set(written, policy);
  return { policy, list: catalog.hash };
}

/** Where a value stands is no part of what it says, and maps have no form in JSON. */
function toPlain(key: string, value: unknown): unknown {
  if (key === "origin") return undefined;
  return value instanceof Map ? [...value] : value;
}
