import { hash } from "node:crypto";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import type { PinnedDefinition } from "./lock.ts";
import { toStableJson } from "./stable-json.ts";

/** An approved definition as stored beside the lock, and the hash by which the lock knows it. */
export interface ApprovedText {
  readonly hash: string;
  readonly content: string;
}

export function toApprovedText(definition: PinnedDefinition): ApprovedText {
  const content = toStableJson(definition);
  return { hash: hash("sha256", content), content };
}

/** Null if the file does not contain what was approved. Line ends and order do not matter, because tools change them. */
export function fromApprovedText(content: string, wanted: string): PinnedDefinition | null {
  const value = parseJson(content.replace(/^\ufeff/, ""));
  if (value === undefined) return null;
  const definition = readApproved(value);
  return toApprovedText(definition).hash === wanted ? definition : null;
}

/** The part of a value that is a definition; the rest is left out. */
export function readApproved(value: unknown): PinnedDefinition {
  const definition = isRecord(value) ? value : {};
  return {
    ...(typeof definition.title === "string" ? { title: definition.title } : {}),
    description: typeof definition.description === "string" ? definition.description : "",
    ...(definition.inputSchema === undefined ? {} : { inputSchema: definition.inputSchema }),
    ...(definition.outputSchema === undefined ? {} : { outputSchema: definition.outputSchema }),
    ...(isRecord(definition.claims) ? { claims: definition.claims } : {}),
    ...(isRecord(definition.annotations) ? { annotations: definition.annotations } : {}),
  };
}

export function isApprovedHash(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
}
