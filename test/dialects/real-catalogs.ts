import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Tool, toTool } from "../../src/core/tool/tool.ts";

/** Catalogs of real servers, where the checkout stands beside them; otherwise there is nothing to read. */
const FOLDER = fileURLToPath(new URL("../../../shared/data/catalogs/", import.meta.url));

let loaded: readonly Tool[] | null = null;

/** Read once: several thousand definitions. */
export function loadRealTools(): readonly Tool[] {
  loaded ??= readTools();
  return loaded;
}

function readTools(): readonly Tool[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => {
      const { tools } = JSON.parse(readFileSync(`${FOLDER}${file}`, "utf8"));
      const server = file.replace(/\.json$/, "");
      return tools.map((tool: { name: string; description?: string; inputSchema?: unknown }, at: number) =>
        toTool({
          source: "mcp",
          // One file may hold many servers that share names; a number keeps each of its tools.
          server: `${server}-${at}`.slice(-30),
          name: tool.name,
          description: tool.description ?? "",
          inputSchema: tool.inputSchema ?? null,
        }),
      );
    });
}
