import { formatOrigin } from "../codes/origin.ts";
import { type AnyGate, hide, pass } from "./gate.ts";

/** What runs commands on this machine needs a sandbox or explicit permission; judged by effect, not name (G5). */
export const hostShellGate = {
  name: "host-shell",
  judge({ tool }, { sandbox }) {
    if (!tool.traits.hostShell || sandbox.active.value || sandbox.allowHostShell.value) return pass;
    const { off } = sandbox;
    const hostShell = "set sandbox.allowHostShell: true";
    return hide({
      code: "host-shell.no-sandbox",
      text: `runs commands on this machine, and ${off === undefined ? "no sandbox is in force" : "the sandbox is switched off"}`,
      origin: off ?? sandbox.allowHostShell.origin,
      fix:
        off === undefined
          ? `set up a sandbox ("toolcrib doctor" says what is in the way), or ${hostShell}`
          : `set sandbox.shell: auto (${formatOrigin(off)}), or ${hostShell}`,
    });
  },
} as const satisfies AnyGate;
