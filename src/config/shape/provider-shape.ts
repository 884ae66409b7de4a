import type { ConfigNode } from "../../core/shape/node.ts";
import { choice, type Flaw, flag, map, record, text, to } from "../../core/shape/shape.ts";
import { checkWebAddress } from "./check-web-address.ts";
import { namedText, noticeUnset } from "./server-shape.ts";

const checkBaseUrl = (node: ConfigNode): Flaw | null => checkWebAddress(node, "baseUrl");

const providerEntry = to(
  record(
    {
      baseUrl: text({
        about:
          "its address up to what the format adds, such as `http://127.0.0.1:4000/v1`; may be left out for a known provider",
        expands: true,
        secret: "url",
      }),
      wire: choice(["anthropic", "openai-responses", "openai-chat", "gemini"], {
        about: "the format it is asked in; by default that of the known provider, else `openai-chat`",
      }),
      key: text({ about: "the key, sent as the format sends keys; write `${NAME}`", expands: true, secret: "all" }),
      headers: map(namedText, { about: "further HTTP headers" }),
      stream: flag({ about: "false: replies are not streamed" }),
    },
    // It decides who reads the conversation, and gets keys.
    { merge: "replace", trust: { what: "provider" }, unit: true, valid: checkBaseUrl },
  ),
  ({ baseUrl, wire, key, headers, stream }, place) => {
    noticeUnset(place, `provider ${place.key}`, place.key);
    if (place.unset.length > 0) return null;
    return {
      ...(baseUrl === null ? {} : { baseUrl }),
      ...(wire === null ? {} : { wire }),
      ...(key === null ? {} : { key }),
      ...(headers === null ? {} : { headers: Object.fromEntries(headers) }),
      ...(stream === null ? {} : { stream }),
    };
  },
);

/** By name; one whose variables are not set is left out. */
export const providers = to(
  map(providerEntry, {
    about:
      "who serves models, by the name before the slash of a model: addresses of your own that speak a known format, or another address for a known provider",
    default: {},
  }),
  (all) => Object.fromEntries([...all].flatMap(([name, said]) => (said === null ? [] : [[name, said] as const]))),
);
