import { type ConfigNode, nodeAt } from "../../core/shape/node.ts";
import { type Flaw, map, record, type ShapePlace, text, to } from "../../core/shape/shape.ts";
import { checkWebAddress } from "./check-web-address.ts";
import { namedText, noticeUnset } from "./server-shape.ts";

const checkUrl = (node: ConfigNode): Flaw | null => checkWebAddress(node, "url");

const embedder = to(
  record(
    {
      url: text({
        about: "address of an API that is compatible with OpenAI's, such as `http://127.0.0.1:11434/v1`",
        required: true,
        expands: true,
        secret: "url",
      }),
      model: text({ about: "the model that makes the vectors", required: true, expands: true }),
      key: text({ about: "sent as a bearer token", expands: true, secret: "all" }),
    },
    {
      about: "makes vectors of tools and requests, so that search finds what other words mean",
      merge: "replace",
      trust: { what: "embedder" },
      unit: true,
      valid: checkUrl,
    },
  ),
  (said, place) => {
    noticeUnset(place, "the embedder", "embedder");
    return place.unset.length > 0 ? null : said;
  },
);

const addressFields = {
  headers: map(namedText, { about: "HTTP headers, such as the key" }),
};

const toAddress = (
  said: { readonly url: string; readonly headers: ReadonlyMap<string, string> | null },
  place: ShapePlace,
  name: string,
) => {
  noticeUnset(place, name, name);
  return place.unset.length > 0 ? null : { url: said.url, headers: Object.fromEntries(said.headers ?? []) };
};

const web = to(
  record(
    {
      url: text({
        about:
          "address of a search engine that answers JSON, such as SearXNG or Brave; `{query}` is what is looked for",
        required: true,
        expands: true,
        secret: "url",
      }),
      ...addressFields,
    },
    {
      about: "the search engine of the tool `web_search`",
      merge: "replace",
      trust: { what: "web search" },
      unit: true,
      valid: checkTemplate,
    },
  ),
  (said, place) => toAddress(said, place, "the search engine"),
);

export const memoryServer = to(
  record(
    {
      url: text({
        about: "address that facts are sent to and asked from",
        required: true,
        expands: true,
        secret: "url",
      }),
      ...addressFields,
    },
    {
      about: "a server that keeps what `store_memory` stores, with `features.memory`",
      merge: "replace",
      trust: { what: "memory server" },
      unit: true,
      valid: checkUrl,
    },
  ),
  (said, place) => toAddress(said, place, "the memory server"),
);

export const search = record(
  { embedder, web },
  { about: "how `tool_search` finds tools, and `web_search` pages", default: {} },
);

function checkTemplate(node: ConfigNode): Flaw | null {
  const url = nodeAt(node, "url");
  if (url?.kind === "scalar" && typeof url.value === "string" && !url.value.includes("{query}"))
    return { text: "must hold {query}, where what is looked for goes", origin: url.origin };
  return checkUrl(node);
}
