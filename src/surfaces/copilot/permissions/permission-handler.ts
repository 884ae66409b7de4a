import type {
  PermissionAnswer,
  PermissionHandler,
  PermissionRequest,
} from "../../../runtime/permissions/permission-request.ts";
import { type Live, tell } from "../state/live.ts";
import { whileShown } from "../state/onlooker.ts";
import { type Json, recordOf, stated, textOf, textsOf } from "../wire/wire-values.ts";
import { readManaged } from "./managed-permissions.ts";

/** Puts what has to be asked to the clients; the first answer counts, and there is no limit of time. */
export function createPermissionHandler(live: () => Live): PermissionHandler {
  return async (request) => ask(live(), request);
}

async function ask(live: Live, request: PermissionRequest): Promise<PermissionAnswer> {
  const asked = toWireRequest(live, request);
  const early = judge(live, asked);
  if (early !== null) return early;
  const requestId = live.server.around.newId();
  const about = { requestId, toolCallId: request.toolCallId };
  const answering = new Promise<Json | null>((resolve) => {
    live.questions.set(requestId, { kind: "permission", asked, answer: resolve });
    request.signal.addEventListener("abort", () => resolve(null), { once: true });
    tell(live, "permission.requested", { requestId, permissionRequest: asked });
  });
  noteNobody(live, request);
  const answer = await whileShown(live, { kind: "permission", request }, answering);
  live.questions.delete(requestId);
  const kind = textOf(answer?.kind) ?? "cancelled";
  if (kind === "approve-for-session" || kind === "approve-for-location")
    for (const key of approvalKeys(asked).slice(0, 1)) live.approvals.add(key);
  const outcome = OUTCOMES.get(kind) ?? NOBODY;
  if (outcome === NOBODY && !UNANSWERED.test(kind)) live.server.note(sayUnknown(kind, request));
  tell(live, "permission.completed", { ...about, result: { kind: outcome } });
  return toAnswer(outcome, textOf(answer?.feedback));
}

/** A call that nobody decides about waits for ever, and looks as if the model did not answer. */
function noteNobody(live: Live, { toolName }: PermissionRequest): void {
  if ([...live.clients.values()].some(({ decides }) => decides) || live.facts.has("told of no handler")) return;
  live.facts.set("told of no handler", true);
  live.server.note(
    `session ${live.id} waits until somebody allows or denies the call of ${toolName}, and the app has no permission handler: give it one (onPermissionRequest, in Python on_permission_request), or set skipPermission on tools that need no question`,
  );
}

function sayUnknown(kind: string, { toolName }: PermissionRequest): string {
  const known = ["approve-once", "approve-for-session", "approve-for-location", "reject", "user-not-available"];
  return `the call of ${toolName} was denied: the app's permission handler answered with the kind ${JSON.stringify(kind.slice(0, 100))}, and kinds are ${known.join(", ")}`;
}

/** What is decided before anybody is asked; null where somebody has to be. */
function judge(live: Live, asked: Json): PermissionAnswer | null {
  const keys = approvalKeys(asked);
  const whole = [...keys, String(asked.kind)];
  const { denied, asked: wanted, allowed, asksAlways } = readManaged(live.wire.managedSettings);
  if (whole.some((key) => live.denials.has(key) || denied.has(key)))
    return { decision: "deny", reason: "a permission rule of the app denies it" };
  if (whole.some((key) => wanted.has(key))) return null;
  const isFree = (live.approvesAll && !asksAlways) || (live.fetchesFreely && asked.kind === "url");
  const isAllowed = keys.some((key) => live.approvals.has(key)) || isCovered(asked, keys, allowed);
  return isFree || isAllowed ? { decision: "allow" } : null;
}

/** A command line is allowed where all of its programs are. */
function isCovered({ kind }: Json, keys: readonly string[], allowed: ReadonlySet<string>): boolean {
  if (allowed.has(String(kind))) return true;
  const named = kind === "shell" ? keys.slice(1) : keys;
  return (
    named.length > 0 &&
    (kind === "shell" ? named.every((key) => allowed.has(key)) : named.some((key) => allowed.has(key)))
  );
}

const NOBODY = "denied-no-approval-rule-and-could-not-request-from-user";
/** How clients say that they could ask nobody. */
const UNANSWERED = /^(?:denied-.*|user-not-available|no-result)$/;

/** What became of a question, by the clients' word for their answer; older clients say the outcome itself. */
const OUTCOMES: ReadonlyMap<string, string> = new Map([
  ["approve-once", "approved"],
  ["approved", "approved"],
  ["approve-for-session", "approved-for-session"],
  ["approved-for-session", "approved-for-session"],
  ["approve-for-location", "approved-for-location"],
  ["approved-for-location", "approved-for-location"],
  ["approve-permanently", "approved-for-location"],
  ["reject", "denied-interactively-by-user"],
  ["denied-interactively-by-user", "denied-interactively-by-user"],
  ["denied-by-rules", "denied-by-rules"],
  ["cancelled", "cancelled"],
]);

function toAnswer(outcome: string, feedback: string | undefined): PermissionAnswer {
  if (outcome.startsWith("approved")) return { decision: "allow" };
  if (outcome !== "denied-interactively-by-user") return { decision: "deny", isUnasked: true };
  return feedback ? { decision: "deny", reason: feedback } : { decision: "deny", endTurn: true };
}

/** A call in the words of permission requests, with every field that strict clients want. */
function toWireRequest(live: Live, request: PermissionRequest): Json {
  const { toolName, toolArgs, toolCallId, description } = request;
  const about = { kind: request.kind, toolCallId };
  const intention = textOf(toolArgs.description) ?? description.split(". ")[0] ?? "";
  const path = textOf(toolArgs.path) ?? "";
  switch (request.kind) {
    case "shell":
      return { ...about, ...toShell(textOf(toolArgs.command) ?? "", intention, request) };
    case "write":
      return {
        ...about,
        fileName: path,
        intention,
        diff: toDiff(toolArgs),
        ...stated({ newFileContents: textOf(toolArgs.file_text) ?? textOf(toolArgs.content) }),
        canOfferSessionApproval: true,
      };
    case "read":
      return { ...about, path, intention };
    case "url":
      return { ...about, url: textOf(toolArgs.url) ?? "", intention };
    case "mcp":
      return { ...about, ...toServerTool(live, toolName), args: toolArgs };
    case "hook":
      return { ...about, toolName, toolArgs, hookMessage: request.reason };
    default:
      return { ...about, kind: "custom-tool", toolName, toolDescription: description, args: toolArgs };
  }
}

function toShell(command: string, intention: string, { parts }: PermissionRequest): Json {
  const names = parts.length > 0 ? parts.map(({ part }) => part.trim().split(/\s+/)[0] ?? "") : [command.split(" ")[0]];
  return {
    fullCommandText: command,
    intention,
    commands: [...new Set(names)].map((identifier) => ({ identifier, readOnly: false })),
    possiblePaths: [...command.matchAll(/(?:^|\s)(\.{0,2}\/[^\s'"|;&>]+)/g)].map(([, path]) => path),
    possibleUrls: [...command.matchAll(/https?:\/\/[^\s'"|;&>]+/g)].map(([url]) => ({ url })),
    hasWriteFileRedirection: />\s*[^&\s]/.test(command),
    canOfferSessionApproval: true,
  };
}

function toDiff({ old_str, new_str, file_text, content }: Json): string {
  const minus = textOf(old_str)?.split("\n") ?? [];
  const plus = (textOf(new_str) ?? textOf(file_text) ?? textOf(content) ?? "").split("\n");
  return [...minus.map((line) => `-${line}`), ...plus.map((line) => `+${line}`)].join("\n");
}

function toServerTool(live: Live, wireName: string): Json {
  const found = live.session.toolset.placements.find(({ entry }) => entry.wireName === wireName)?.entry.tool;
  const toolName = found?.name ?? wireName;
  return {
    serverName: found?.server ?? "",
    toolName,
    toolTitle: found?.title ?? toolName,
    readOnly: found?.traits.readOnly === true,
  };
}

/** What an approval for the session covers; the first is what is kept. */
function approvalKeys(asked: Json): readonly string[] {
  switch (asked.kind) {
    case "shell":
      return [
        `commands:${textsOf(recordsOfCommands(asked)).join(" ")}`,
        ...textsOf(recordsOfCommands(asked)).map((name) => `command:${name}`),
      ];
    case "mcp":
      return [`mcp:${String(asked.serverName)}/${String(asked.toolName)}`, `mcp:${String(asked.serverName)}/*`];
    case "custom-tool":
      return [`custom-tool:${String(asked.toolName)}`];
    case "url":
      return [`url:${String(asked.url)}`];
    case "hook":
      return [];
    default:
      return [String(asked.kind)];
  }
}

function recordsOfCommands({ commands }: Json): readonly unknown[] {
  return Array.isArray(commands) ? commands.map((one) => recordOf(one).identifier) : [];
}
