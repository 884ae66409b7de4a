import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

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

/** Where the compiled peer is, if not on the PATH. */
const COMPILED = "TOOLCRIB_BENCH_MCP_PROXY";

/** Why its rows are empty where nobody has it. */
export const NO_COMPILED_PEER = `mcp-proxy in Rust is neither on the PATH nor in ${COMPILED}`;

/** The gateway in Rust that goes by the name of an npm one, as somebody has built it; null if nobody has. */
export function findCompiledPeer() {
  const given = process.env[COMPILED];
  const found = given === undefined ? onPath("mcp-proxy") : [given];
  return found.find(isCompiledPeer) ?? null;
}

/** @param {string} name */
function onPath(name) {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .filter((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/**
 * The other one has no such option.
 * @param {string} file
 */
function isCompiledPeer(file) {
  const { status, stdout } = spawnSync(file, ["--help"], { encoding: "utf8", timeout: 10_000 });
  return status === 0 && stdout.includes("--from-mcp-json");
}
