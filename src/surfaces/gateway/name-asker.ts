import type { PeerQuestion } from "../../sources/peer.ts";
import { isObject } from "./json-rpc.ts";

/** A question as a client reads it. */
export type NamedQuestion = Pick<PeerQuestion, "method" | "params">;

const ASKER = "toolcrib/server";

/**
 * A client knows one server, this gateway, and many stand behind it. Their questions begin with who asks, in our words and
 * by the name from the configuration, so that whatever a server writes comes after its own name.
 */
export function nameAsker({ server, method, params }: PeerQuestion): NamedQuestion {
  if (server === null) return { method, params };
  const _meta = { ...(isObject(params._meta) ? params._meta : {}), [ASKER]: server };
  const name = JSON.stringify(server.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " "));
  switch (method) {
    case "elicitation/create":
      return {
        method,
        params: { ...params, _meta, message: `The MCP server ${name} asks: ${textOf(params.message)}` },
      };
    case "sampling/createMessage": {
      const systemPrompt =
        `This request comes from the MCP server ${name}.\n\n${textOf(params.systemPrompt)}`.trimEnd();
      return { method, params: { ...params, _meta, systemPrompt } };
    }
    case "roots/list":
      return { method, params: { ...params, _meta } };
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
