import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpRefusal } from "../../api/answers.ts";
import { readTextBody } from "../../api/read-json.ts";

const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;|$)/i;

/** The fields of a form. A field that comes twice is refused: another program may have looked at the other one. */
export async function readForm(
  request: IncomingMessage,
  response: ServerResponse,
  limit = 64 * 1024,
): Promise<ReadonlyMap<string, string>> {
  return toFields(
    new URLSearchParams(
      await readTextBody(request, response, { type: FORM_TYPE, name: "application/x-www-form-urlencoded", limit }),
    ),
  );
}

/** The parameters of an address, with the same rule. */
export function readQuery({ url = "" }: IncomingMessage): ReadonlyMap<string, string> {
  const at = url.indexOf("?");
  return toFields(new URLSearchParams(at === -1 ? "" : url.slice(at + 1)));
}

function toFields(params: URLSearchParams): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of params) {
    if (fields.has(name)) throw new HttpRefusal(400, "http.invalid-request", `${JSON.stringify(name)} is given twice`);
    fields.set(name, value);
  }
  return fields;
}
