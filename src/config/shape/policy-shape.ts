import { nameList } from "../../core/codes/origin.ts";
import type { Policy, ServerMatch } from "../../core/scene/scene.ts";
import { choice, either, list, names, record, sourced, text, to } from "../../core/shape/shape.ts";

/** A line of a policy's server list: a name, or one of `serverName`, `serverUrl`, `serverCommand`. */
const serverMatch = to(
  either([
    text(),
    record(
      {
        serverName: text({ about: "the configured name" }),
        serverUrl: text({ about: "the address; `*` stands for anything" }),
        serverCommand: list(text(), { about: "the exact command line" }),
      },
      { oneOf: ["serverName", "serverUrl", "serverCommand"] },
    ),
  ]),
  (match): ServerMatch => {
    if (typeof match === "string") return { by: "name", name: match };
    if (match.serverUrl !== null) return { by: "url", url: match.serverUrl };
    if (match.serverCommand !== null) return { by: "command", argv: match.serverCommand };
    return { by: "name", name: match.serverName ?? "" };
  },
);

export const policy = to(
  record(
    {
      allowedMcpServers: sourced(list(sourced(serverMatch), { about: "if set, only these servers", narrow: true })),
      deniedMcpServers: list(sourced(serverMatch), { about: "never these servers", merge: "union" }),
      deniedTools: names({ about: "never these tools", merge: "union" }),
      connect: sourced(choice(["allow", "deny"], { about: "whether `toolcrib connect` may attach", default: "allow" })),
    },
    { about: "what an organisation decides", policyOnly: true, default: {} },
  ),
  ({ allowedMcpServers, deniedMcpServers, deniedTools, connect }) => {
    const said: Policy = {
      allowedServers: allowedMcpServers,
      deniedServers: deniedMcpServers ?? [],
      deniedTools: deniedTools ?? nameList([]),
    };
    return { ...said, connect };
  },
);
