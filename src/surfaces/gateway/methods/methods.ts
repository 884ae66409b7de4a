import type { Offer } from "../tools/offer.ts";
import { callsThrough, type Exchange, type Front, type RunningCalls } from "../views/front.ts";
import { invalidParams, type Params, type ProtocolAnswer, refuseRequest } from "../wire/json-rpc.ts";
import { ERROR } from "../wire/protocol.ts";
import { callTool } from "./call-tool.ts";
import { complete } from "./complete.ts";
import { answerJudge, JUDGE_TOOL, type JudgeCall } from "./judge-call.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { listResources, readResource } from "./resources.ts";

export interface MethodPorts {
  readonly running: RunningCalls;
  /** The end of every serialised result of the newer protocol. */
  readonly modernTail: string;
  /** What hooks of clients are answered; absent where none may ask. */
  readonly judge?: JudgeCall | undefined;
}

/** Methods that both eras have in the same form. Null for any other method. */
export function answerCommon(
  front: Front,
  method: string,
  params: Params,
  exchange: Exchange,
  ports: MethodPorts,
): Promise<ProtocolAnswer> | null {
  switch (method) {
    case "tools/call":
      return params.name === JUDGE_TOOL
        ? answerJudge(front, params, ports.judge).then(
            (said) => said ?? callTool(front, params, exchange, ports.running),
          )
        : callTool(front, params, exchange, ports.running);
    case "tools/list":
      return listTools(front, params, ports);
    case "prompts/list":
      return listPrompts(front, params);
    case "prompts/get":
      return getPrompt(front, params, exchange);
    case "resources/list":
      return listResources(front, "resources", params);
    case "resources/templates/list":
      return listResources(front, "templates", params);
    case "resources/read":
      return readResource(front, params, exchange);
    case "completion/complete":
      return complete(front, params, exchange);
    default:
      return null;
  }
}

export function unknownMethod(method: string): ProtocolAnswer {
  return refuseRequest(ERROR.method, `Method not found: ${method.slice(0, 200)}`);
}

/** The list as a client of the older protocol is shown it. */
export function listFor(front: Pick<Front, "era" | "view">, offer: Offer): string {
  return callsThrough(front) ? offer.lasting : offer.growing;
}

/** The key under which a list names the servers it lacks, for clients that show that. */
const MISSING_KEY = "toolcrib/missing";

/** Serialised once for each set of tools, however many clients ask. */
async function listTools(front: Front, { cursor }: Params, { modernTail }: MethodPorts): Promise<ProtocolAnswer> {
  if (cursor !== undefined) return invalidParams("the cursor is not one of this list");
  await front.view.settled("list");
  const offer = front.view.offer();
  front.shown = offer;
  const missing = front.view.missing();
  const named = missing.length === 0 ? "" : `"${MISSING_KEY}":${JSON.stringify(missing)}`;
  if (front.era === "legacy")
    return { kind: "written", json: `{"tools":${listFor(front, offer)}${named === "" ? "" : `,"_meta":{${named}}`}}` };
  // It ends with the brace of its `_meta`.
  const tail = named === "" ? modernTail : `${modernTail.slice(0, -1)},${named}}`;
  return { kind: "written", json: `{"tools":${offer.stable},"ttlMs":0,"cacheScope":"private",${tail}}` };
}
