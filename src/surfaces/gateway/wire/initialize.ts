import type { ServerInfo } from "./finish.ts";
import { isObject, type Params, type ProtocolAnswer } from "./json-rpc.ts";
import { LEGACY_VERSIONS, TASK_VERSION } from "./protocol.ts";

/** How a client of the older protocol introduces itself. */
export interface Introduction {
  readonly version: string;
  readonly capabilities: Params;
  readonly label: string;
}

/** What the gateway itself can do; its lists show whether there is any content. */
export const CAPABILITIES: Params = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};

const TASKS: Params = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/** A client that asks for an unknown version is offered the newest one, and leaves if it does not support it. */
export function readIntroduction({ protocolVersion, capabilities, clientInfo }: Params): Introduction {
  const version = LEGACY_VERSIONS.find((known) => known === protocolVersion) ?? LEGACY_VERSIONS[0];
  const name = isObject(clientInfo) ? clientInfo.name : undefined;
  return { version, capabilities: isObject(capabilities) ? capabilities : {}, label: toLabel(name) };
}

export function toInitializeAnswer(
  version: string,
  server: ServerInfo,
  instructions: string | undefined,
): ProtocolAnswer {
  const capabilities = version === TASK_VERSION ? { ...CAPABILITIES, tasks: TASKS } : CAPABILITIES;
  const result = { protocolVersion: version, capabilities, serverInfo: server };
  return { kind: "result", result: instructions === undefined ? result : { ...result, instructions } };
}

const MOST_LABEL = 60;

/** A name that people get to see, so it is cleaned. */
function toLabel(name: unknown): string {
  if (typeof name !== "string") return "unnamed client";
  const plain = name.replace(/[^\x20-\x7e]/g, "?").trim();
  return plain === "" ? "unnamed client" : plain.slice(0, MOST_LABEL);
}
