import type { Endpoint, McpServerSpec } from "./server-spec.ts";

/** Programs that fetch what they run before they run it. */
const FETCHING: ReadonlySet<string> = new Set(["npx", "uvx", "docker", "bunx", "pipx"]);
const FETCHING_TIMEOUT = 180_000;

/** The program that may be downloading the server, by its name alone; null for one that is there already. */
export function fetcherOf(endpoint: Endpoint): string | null {
  if (endpoint.kind !== "stdio") return null;
  const base = endpoint.argv[0]?.split(/[\\/]/).at(-1) ?? "";
  const name = base.toLowerCase().replace(/\.(?:cmd|exe|bat|ps1)$/, "");
  return FETCHING.has(name) ? name : null;
}

/** What its entry says, else what its kind of program usually needs; `usual` for all others. */
export function startTimeoutOf(spec: McpServerSpec, endpoint: Endpoint, usual: number): number {
  return spec.startTimeout ?? (fetcherOf(endpoint) === null ? usual : Math.max(usual, FETCHING_TIMEOUT));
}
