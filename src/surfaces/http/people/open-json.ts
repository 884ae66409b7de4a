import type { OutgoingHttpHeaders } from "node:http";
import { HttpRefusal, sendJson } from "../api/answers.ts";
import type { PeopleRoute } from "../door/people-port.ts";

/** Lets pages of any origin read an answer; a browser asks first because clients send headers of their own. */
export const ANY_ORIGIN: OutgoingHttpHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "access-control-max-age": "86400",
};

/** A document about this gateway that everybody may read, the same for all. */
export function openJson(value: unknown | (() => Promise<unknown>)): PeopleRoute {
  const headers = { ...ANY_ORIGIN, "access-control-allow-methods": "GET, HEAD, OPTIONS" };
  return {
    anyOrigin: true,
    async answer({ method }, response) {
      if (method === "OPTIONS") return void response.writeHead(204, headers).end();
      if (method !== "GET" && method !== "HEAD")
        throw new HttpRefusal(405, "http.method", "only GET is answered here", {
          ...headers,
          allow: "GET, HEAD, OPTIONS",
        });
      const document: unknown = typeof value === "function" ? await value() : value;
      sendJson(response, 200, document, { ...headers, "cache-control": "public, max-age=300" });
    },
  };
}
