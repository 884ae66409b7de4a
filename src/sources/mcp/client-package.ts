/** The official client, which is large: loaded when the first server starts. */
export type ClientPackage = typeof import("@modelcontextprotocol/client");

export function loadClientPackage(): Promise<ClientPackage> {
  return import("@modelcontextprotocol/client");
}
