import { type ConfigNode, nodeAt } from "../../core/shape/node.ts";
import { type Flaw, record, text, to } from "../../core/shape/shape.ts";
import { noticeUnset } from "./server-shape.ts";

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
      valid: checkAddress,
    },
  ),
  (said, place) => {
    noticeUnset(place, "the embedder", "embedder");
    return place.unset.length > 0 ? null : said;
  },
);

export const search = record({ embedder }, { about: "how `tool_search` finds tools", default: {} });

function checkAddress(node: ConfigNode): Flaw | null {
  const url = nodeAt(node, "url");
  if (url?.kind !== "scalar" || typeof url.value !== "string" || url.value.includes("$")) return null;
  const isWeb = URL.canParse(url.value) && /^https?:$/.test(new URL(url.value).protocol);
  return isWeb ? null : { text: "must be an http or https address", origin: url.origin };
}
