/** The plugin with which opencode asks: it has hooks for modules in its own process only. */
export function opencodePlugin(line: string): string {
  return `// Written by "toolcrib guard install"; "toolcrib guard remove opencode" takes it away.
import { spawn } from "node:child_process";

const LINE = ${JSON.stringify(line)};

function ask(event) {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", LINE], { stdio: ["pipe", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => { out += text; });
    child.stderr.setEncoding("utf8").on("data", (text) => { err += text; });
    child.on("error", reject);
    child.stdin.on("error", () => {});
    child.on("close", (status) => (status === 0 ? resolve(out) : reject(new Error(err.trim() || "Toolcrib did not answer; the call is refused"))));
    child.stdin.end(JSON.stringify(event));
  });
}

export const ToolcribGuard = async ({ directory }) => ({
  "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
    const out = await ask({ tool, sessionID, callID, directory, args });
    const { answer, reason } = out === "" ? {} : JSON.parse(out);
    if (answer === "deny") throw new Error(reason);
  },
});
`;
}
