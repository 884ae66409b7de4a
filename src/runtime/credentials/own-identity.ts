import type { UpstreamIdentity, UpstreamServer } from "./contract.ts";

/** Who this machine's person is at a server, where nobody else logs in: `person` is their own login then (S8). */
export function ownIdentity({ credentials }: Pick<UpstreamServer, "credentials">): UpstreamIdentity {
  const kind = credentials?.kind ?? "shared";
  const common = { kind, key: "", login: kind, person: null };
  if (kind === "shared" || kind === "person") return { ...common, proof: { kind: "entry" }, state: async () => READY };
  const state = kind === "none" ? READY : ({ kind: "unavailable", reason: NOBODY } as const);
  return { ...common, proof: { kind: "nothing" }, state: async () => state };
}

const READY = { kind: "ready" } as const;
const NOBODY = "its credentials need people who log in (gateway.auth)";
