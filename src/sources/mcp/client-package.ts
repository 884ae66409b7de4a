/** The official client. It is large, so it is loaded when the first server starts. */
export type ClientPackage = typeof import("@modelcontextprotocol/client");

export function loadClientPackage(): Promise<ClientPackage> {
  return import("@modelcontextprotocol/client");
}
