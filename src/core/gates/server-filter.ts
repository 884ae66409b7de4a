import { formatOrigin } from "../codes/origin.ts";
import { factsOf } from "../tool/source-kinds.ts";
import { isServed } from "../tool/tool.ts";
import { type AnyGate, hide, pass } from "./gate.ts";

/** A server's own `tools` list keeps only what it names; `["*"]` or no list keeps all, `[]` keeps nothing (G8). */
export const serverFilterGate = {
  name: "server-filter",
  judge(entry, { lists }) {
    const { tool } = entry;
    if (!isServed(tool)) return pass;
    const list = lists.serverTools.get(tool.server ?? "");
    if (list === undefined || list.mentions.has(entry)) return pass;
    const { origin } = list.list;
    return hide({
      code: "server-filter.not-listed",
      text: `not in the tools of server "${tool.server}"`,
      origin,
      fix: `add "${tool.name}" to ${factsOf(tool.source).served}.${tool.server}.tools (${formatOrigin(origin)})`,
    });
  },
} as const satisfies AnyGate;
