import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gateways that others made, as they come from the registry; none of them is a dependency of this project. */
const PEERS = { "mcp-proxy": "6.7.19", supergateway: "4.0.0", "mcp-hub": "4.2.1" };

/** Installs the peers once, beside the checkout's own packages, and says where they are. */
export function installPeers() {
  const folder = join(tmpdir(), `toolcrib-peers-${Object.values(PEERS).join("-")}`);
  const done = join(folder, "installed");
  if (!existsSync(done)) {
    console.error("Gateway: installing the peers");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: PEERS }));
    const { status, stderr } = spawnSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: folder,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`the peers cannot be installed: ${stderr}`);
    writeFileSync(done, "");
  }
  return (/** @type {keyof typeof PEERS} */ name) => join(folder, "node_modules", ".bin", name);
}
