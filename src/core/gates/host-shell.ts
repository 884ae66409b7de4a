import { type Gate, hide, pass } from "./gate.ts";

/** What runs commands on this machine needs a sandbox or an open permission; judged by what it does, not its name (G5). */
export const hostShellGate: Gate = {
  name: "host-shell",
  judge({ tool }, { sandbox }) {
    if (!tool.traits.hostShell || sandbox.active.value || sandbox.allowHostShell.value) return pass;
    return hide({
      code: "host-shell.no-sandbox",
      text: "runs commands on this machine, and no sandbox is in force",
      origin: sandbox.allowHostShell.origin,
      fix: 'set up a sandbox ("toolcrib doctor" says what is in the way), or set sandbox.allowHostShell: true',
    });
  },
};
