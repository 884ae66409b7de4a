import { hash } from "node:crypto";
import type { Config } from "../../config/config.ts";
import { OWN_STORE } from "../../config/shape/store-shape.ts";

/** What the logs of machines that are one gateway have in common in a store. */
export function auditScope({ gateway: { publicUrl } }: Pick<Config, "gateway">, workspace: string): string {
  return hash("sha256", `log of ${publicUrl?.value ?? workspace}`, "base64url");
}

/** Where arguments of calls are kept. */
export function bodiesOf({ audit, gateway }: Pick<Config, "audit" | "gateway">): "rows" | "sealed" | "none" {
  return audit.bodies?.value ?? (gateway.auth === null ? "rows" : "sealed");
}

/** Whether the store has the rows of all machines: not where one person works on one machine. */
export function isGathered(config: Pick<Config, "audit" | "gateway" | "store">): boolean {
  return bodiesOf(config) === "sealed" || config.gateway.auth !== null || config.store.url.value !== OWN_STORE;
}
