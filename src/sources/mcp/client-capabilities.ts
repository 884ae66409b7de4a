import { isRecord } from "../../core/shape/is-record.ts";
import type { PeerClient, PeerQuestion } from "../peer.ts";

/** What Toolcrib declares it can answer. Whether it can depends on the client that made a request. */
export const DECLARED_CAPABILITIES = {
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  roots: { listChanged: true },
} as const;

const METHODS: readonly string[] = ["sampling/createMessage", "elicitation/create", "roots/list"];

export function isQuestionMethod(method: unknown): method is PeerQuestion["method"] {
  return typeof method === "string" && METHODS.includes(method);
}

/** Why this client cannot be asked that, continuing "the client …"; null if it can. */
export function lacksFor({ capabilities }: PeerClient, { method, params }: PeerQuestion): string | null {
  switch (method) {
    case "sampling/createMessage": {
      const { sampling } = capabilities;
      if (!isRecord(sampling)) return "does not offer sampling";
      const wantsTools = params.tools !== undefined || params.toolChoice !== undefined;
      return wantsTools && !isRecord(sampling.tools) ? "does not offer sampling with tools" : null;
    }
    case "elicitation/create": {
      const { elicitation } = capabilities;
      if (!isRecord(elicitation)) return "does not offer elicitation";
      if (params.mode === "url") return isRecord(elicitation.url) ? null : "cannot open addresses for a server";
      // A client that names no mode means forms: the first version had nothing else.
      return isRecord(elicitation.form) || !isRecord(elicitation.url) ? null : "does not show forms";
    }
    case "roots/list":
      return isRecord(capabilities.roots) ? null : "does not offer roots";
  }
}

/**
 * What a newer server is told about the client of one request. Tasks are left out if the answer must be a result,
 * because a server may answer with a task to any client that knows them.
 */
export function capabilitiesFor(client: PeerClient | null, withTasks: boolean): Readonly<Record<string, unknown>> {
  if (client === null) return {};
  const { extensions, tasks: _, ...rest } = client.capabilities;
  if (!isRecord(extensions)) return rest;
  if (withTasks) return { ...rest, extensions };
  const { "io.modelcontextprotocol/tasks": __, ...others } = extensions;
  return { ...rest, extensions: others };
}
