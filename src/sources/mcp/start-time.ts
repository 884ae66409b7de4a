import type { Endpoint, McpServerSpec } from "./server-spec.ts";

/** Programs that download what they run. */
const FETCHING: ReadonlySet<string> = new Set(["npx", "uvx", "docker", "bunx", "pipx"]);
const FETCHING_TIMEOUT = 180_000;

/** The program that may be downloading the server, by its base name; null for any other. */
export function fetcherOf(endpoint: Endpoint): string | null {
  if (endpoint.kind !== "stdio") return null;
  const base = endpoint.argv[0]?.split(/[\\/]/).at(-1) ?? "";
  const name = base.toLowerCase().replace(/\.(?:cmd|exe|bat|ps1)$/, "");
  return FETCHING.has(name) ? name : null;
}

/** The entry's own limit, else what its kind of program usually needs; `usual` for all others. */
export function startTimeoutOf(spec: McpServerSpec, endpoint: Endpoint, usual: number): number {
  return spec.startTimeout ?? (fetcherOf(endpoint) === null ? usual : Math.max(usual, FETCHING_TIMEOUT));
}
