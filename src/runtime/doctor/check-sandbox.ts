import type { Config } from "../../config/config.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import type { DoctorFinding } from "./finding.ts";

const ELSEWHERE = {
  reason: "the workspace holds the home folder, or cannot be used",
  fix: "work in a folder of the project instead",
};

/** Why commands have no sandbox although one would be used; if one is configured by name, there is already a notice. */
export async function checkSandbox({ sandbox }: Config, { scene }: Toolset): Promise<readonly DoctorFinding[]> {
  if (scene.sandbox.active.value || sandbox.shell.value !== "auto") return [];
  const { detectSandbox } = await import("../../system/sandbox/detect-sandbox.ts");
  const identity = { kind: process.getuid?.() === 0 ? "mapped" : "own" } as const;
  const detection = await detectSandbox({ platform: process.platform, identity });
  const { reason, fix } = detection.found ? ELSEWHERE : detection;
  const text = `commands have no sandbox: ${reason}`;
  return [{ level: "info", code: "sandbox.unavailable", text, names: [], origin: sandbox.shell.origin, fix }];
}

/** What commands left for git on this machine to run. It was renamed, and nobody has reviewed it yet. */
export async function checkHeld({ trust, sandbox }: Config): Promise<readonly DoctorFinding[]> {
  const { findMovedAside } = await import("../../system/sandbox/find-moved-aside.ts");
  const names = findMovedAside(trust.workspace);
  if (names.length === 0) return [];
  const text = `commands in the sandbox left something for git to run, which was renamed: ${names.join(", ")}`;
  const fix = "look at each of them, and remove it or give it its name back";
  return [{ level: "warning", code: "sandbox.held", text, names, origin: sandbox.shell.origin, fix }];
}
