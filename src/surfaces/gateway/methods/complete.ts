import type { Exchange, Front } from "../views/front.ts";
import { invalidParams, isObject, type Params, type ProtocolAnswer } from "../wire/json-rpc.ts";
import { passOn } from "./pass-on.ts";
import { findPrompt } from "./prompts.ts";
import { findTemplateOwner } from "./resources.ts";

/** Suggestions for an argument, from the server that owns the prompt or the template. */
export async function complete(front: Front, params: Params, exchange: Exchange): Promise<ProtocolAnswer> {
  const { ref } = params;
  if (!isObject(ref)) return invalidParams("completion/complete needs a ref");
  if (ref.type === "ref/prompt" && typeof ref.name === "string") {
    const found = await findPrompt(front, ref.name);
    if (found === null) return invalidParams(`Unknown prompt: ${ref.name.slice(0, 200)}`);
    return passOn(found.server, "completion/complete", { ...params, ref: { ...ref, name: found.own } }, exchange);
  }
  if (ref.type === "ref/resource" && typeof ref.uri === "string") {
    const server = await findTemplateOwner(front, ref.uri);
    if (server === null) return invalidParams(`Unknown resource: ${ref.uri.slice(0, 200)}`, { uri: ref.uri });
    return passOn(server, "completion/complete", params, exchange);
  }
  return invalidParams("the ref is neither a prompt nor a resource");
}
