import type { Config } from "../../config/config.ts";
import { fileShape } from "../../config/shape/file-shape.ts";
import { maskSecrets } from "../../config/shape/mask-secrets.ts";
import type { WireStyle } from "../../core/catalog/wire-name.ts";
import type { Scene, Server } from "../../core/scene/scene.ts";
import { toWorld } from "../../core/scene/world.ts";
import { nodeAt } from "../../core/shape/node.ts";
import type { Tool } from "../../core/tool/tool.ts";

/** A world that can be passed on: servers' arguments and addresses as written, with their variables. */
export function toWorldDocument(
  tools: readonly Tool[],
  scene: Scene,
  wireStyle: WireStyle,
  config: Pick<Config, "written">,
): unknown {
  return toWorld(tools, withoutServerSecrets(scene, config), wireStyle);
}

export function withoutServerSecrets(scene: Scene, config: Pick<Config, "written">): Scene {
  const written = maskSecrets(config.written, fileShape);
  const servers = new Map(
    [...scene.servers].map(([name, server]) => [
      name,
      asWritten(server, nodeAt(written, "mcpServers", name) ?? nodeAt(written, "openapi", name)),
    ]),
  );
  return { ...scene, servers };
}

/** A server that is not written there (an agent's own) is described by its program only. */
function asWritten(server: Server, node: ReturnType<typeof nodeAt>): Server {
  const text = (key: string): string | null => textOf(nodeAt(node, key));
  const args = nodeAt(node, "args");
  const items = args?.kind === "list" ? args.items.map((item) => textOf(item) ?? "") : [];
  return {
    ...server,
    argv: server.argv === null ? null : [text("command") ?? server.argv[0] ?? "", ...items],
    url: server.url === null ? null : (text("url") ?? text("baseUrl") ?? originOf(server.url)),
  };
}

function textOf(node: ReturnType<typeof nodeAt>): string | null {
  return node?.kind === "scalar" && node.value !== null ? String(node.value) : null;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "";
}
