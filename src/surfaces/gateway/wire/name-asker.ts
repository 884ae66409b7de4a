import type { PeerQuestion } from "../../../sources/peer.ts";
import { isObject } from "./json-rpc.ts";

/** A question as a client reads it. */
export type NamedQuestion = Pick<PeerQuestion, "method" | "params">;

const ASKER = "toolcrib/server";
const CODE_LINE = "toolcrib/codeLine";

/**
 * A client knows one server, this gateway, which represents many. Their questions begin with the asking server, in our
 * words and by its configured name, so that the server's own text comes after its name.
 */
export function nameAsker({ server, method, params, codeLine }: PeerQuestion): NamedQuestion {
  if (server === null) return { method, params };
  const { [CODE_LINE]: _, ...given } = isObject(params._meta) ? params._meta : {};
  const _meta = { ...given, [ASKER]: server, ...(codeLine === undefined ? {} : { [CODE_LINE]: codeLine }) };
  const asker = `${quote(server)}${describeCaller(codeLine)}`;
  switch (method) {
    case "elicitation/create":
      return {
        method,
        params: { ...params, _meta, message: `The MCP server ${asker} asks: ${textOf(params.message)}` },
      };
    case "sampling/createMessage": {
      const systemPrompt =
        `This request comes from the MCP server ${asker}.\n\n${textOf(params.systemPrompt)}`.trimEnd();
      return { method, params: { ...params, _meta, systemPrompt } };
    }
    case "roots/list":
      return { method, params: { ...params, _meta } };
  }
}

function describeCaller(codeLine: PeerQuestion["codeLine"]): string {
  return codeLine === undefined
    ? ""
    : ` (called by line ${codeLine.line} of the model's code: ${quote(codeLine.text)})`;
}

/** Nothing in it can end the quotes or hide what follows. */
function quote(text: string): string {
  return JSON.stringify(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " "));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
