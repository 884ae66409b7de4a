import type { Carrier } from "../../../runtime/models/http-model.ts";
import { isJson, type Json, recordOf, recordsOf } from "../wire/wire-values.ts";

/** Asks for citations of attached documents, where the provider gives them. */
export function withCitations(carry: Carrier): Carrier {
  return (url, init) => carry(url, { ...init, ...(typeof init.body === "string" ? { body: addTo(init.body) } : {}) });
}

function addTo(text: string): string {
  const body = recordOf(JSON.parse(text));
  const messages = recordsOf(body.messages).map((message) => {
    if (!Array.isArray(message.content)) return message;
    return { ...message, content: message.content.map((block: unknown) => (isJson(block) ? cite(block) : block)) };
  });
  return JSON.stringify(body.messages === undefined ? body : { ...body, messages });
}

function cite(block: Json): Json {
  return block.type === "document" ? { ...block, citations: { enabled: true } } : block;
}
