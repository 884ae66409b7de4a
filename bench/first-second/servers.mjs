// The servers of npm that stand behind every start, each as its package is installed.
import { fileURLToPath } from "node:url";

const PACKAGES = {
  everything: ["@modelcontextprotocol/server-everything/dist/index.js", "stdio"],
  files: ["@modelcontextprotocol/server-filesystem/dist/index.js", "."],
  memory: ["@modelcontextprotocol/server-memory/dist/index.js"],
  thinking: ["@modelcontextprotocol/server-sequential-thinking/dist/index.js"],
  time: ["time-mcp"],
};

/** Five entries of a configuration. */
export const SERVERS = Object.fromEntries(
  Object.entries(PACKAGES).map(([name, [file = "", ...args]]) => [
    name,
    { command: process.execPath, args: [fileURLToPath(import.meta.resolve(file)), ...args] },
  ]),
);

const SCRIPTS = new Set(Object.values(SERVERS).map(({ args }) => args[0]));

/** @param {readonly string[]} argv */
export function isServer([, script]) {
  return SCRIPTS.has(script);
}
