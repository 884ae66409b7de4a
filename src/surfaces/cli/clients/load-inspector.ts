import type { AppInspector } from "../../copilot/copilot-server.ts";

/** The inspector of an app; few want one, and those who do not never wait for it. */
export async function loadInspector(note: (text: string) => void): Promise<AppInspector> {
  return (await import("./inspect-apps.ts")).inspectApps(note);
}
