import type { UpstreamServer } from "./contract.ts";

/** Where a server is; null for a process. */
export function upstreamUrl({ transport }: Pick<UpstreamServer, "transport">): URL | null {
  if (transport.type === "stdio" || !URL.canParse(transport.url)) return null;
  const url = new URL(transport.url);
  url.hash = "";
  return url;
}

export function upstreamOrigin(server: Pick<UpstreamServer, "transport">): string | null {
  return upstreamUrl(server)?.origin ?? null;
}
