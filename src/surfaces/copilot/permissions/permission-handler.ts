import type {
  PermissionAnswer,
  PermissionHandler,
  PermissionRequest,
} from "../../../runtime/permissions/permission-request.ts";
import { toChangedLines } from "../../../runtime/report/file-change.ts";
import { whileShown } from "../state/onlooker.ts";
import { askAll, emit, type SessionCore } from "../state/session-core.ts";
import { dropUndefined, type Json, recordsOf, textOf, textsOf } from "../wire/wire-values.ts";
import { changedFiles } from "./changed-files.ts";
import { readManaged } from "./managed-permissions.ts";
import { limitUndecided } from "./no-handler.ts";
import { describeUnknown, readDecision } from "./read-decision.ts";

/** What clients have allowed and denied in a session. */
export interface PermissionState {
  approvesAll: boolean;
  /** The mode while not everything is approved. */
  mode: string;
  /** Nobody is asked about addresses. */
  fetchesFreely: boolean;
  readonly approvals: Set<string>;
  /** These count before all approvals. */
  denials: ReadonlySet<string>;
  /** The folder that counts as the workspace; null: the working directory. */
  primaryFolder: string | null;
  readonly trustedFolders: Set<string>;
  /** The app knows that nobody decides about calls. */
  isNobodyNoted: boolean;
}

export function newPermissions(approvesAll: boolean): PermissionState {
  return {
    ...{ approvesAll, mode: "manual", fetchesFreely: false, approvals: new Set(), denials: new Set() },
    ...{ primaryFolder: null, trustedFolders: new Set(), isNobodyNoted: false },
  };
}

/** Puts what has to be asked to the clients; the first answer counts. Only where no client has a handler is there a limit of time. */
export function createPermissionHandler(core: SessionCore, permissions: PermissionState): PermissionHandler {
  return async (request) => {
    const asked = toWireRequest(core, request);
    return judge(core, permissions, asked) ?? (await ask(core, permissions, request, asked));
  };
}

async function ask(
  core: SessionCore,
  permissions: PermissionState,
  request: PermissionRequest,
  asked: Json,
): Promise<PermissionAnswer> {
  const requestId = core.server.around.newId();
  const { signal, toolName, toolCallId } = request;
  const send = (): void => emit(core, "permission.requested", { requestId, permissionRequest: asked });
  const answering = askAll(core, "permission", requestId, asked, send, { signal, answer: { kind: "cancelled" } });
  const stop = limitUndecided(core, permissions, toolName, requestId);
  const given = await whileShown(core, { kind: "permission", request }, answering).finally(stop);
  const { outcome, answer, isUnknown } = readDecision(given);
  if (isUnknown) core.server.note(describeUnknown(given, toolName));
  if (outcome === "approved-for-session" || outcome === "approved-for-location")
    for (const key of approvalKeys(asked).slice(0, 1)) permissions.approvals.add(key);
  emit(core, "permission.completed", { requestId, toolCallId, result: { kind: outcome } });
  // A rule that the app has set meanwhile counts for what waited.
  const since = answer.decision === "allow" ? judge(core, permissions, asked) : null;
  return since?.decision === "deny" ? since : answer;
}

/** What is decided before anybody is asked; null where somebody has to be. */
function judge({ options }: SessionCore, permissions: PermissionState, asked: Json): PermissionAnswer | null {
  const keys = approvalKeys(asked);
  const whole = [...keys, String(asked.kind)];
  const { denied, asked: wanted, allowed, asksAlways } = readManaged(options.managedSettings);
  if (whole.some((key) => permissions.denials.has(key) || denied.has(key)))
    return { decision: "deny", reason: "a permission rule of the app denies it" };
  if (whole.some((key) => wanted.has(key))) return null;
  const isFree = (permissions.approvesAll && !asksAlways) || (permissions.fetchesFreely && asked.kind === "url");
  const isAllowed = keys.some((key) => permissions.approvals.has(key)) || isCovered(asked, keys, allowed);
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

/** A call in the words of permission requests, with every field that strict clients want. */
function toWireRequest(core: SessionCore, request: PermissionRequest): Json {
  const { toolName, toolArgs, toolCallId, description } = request;
  const about = { kind: request.kind, toolCallId };
  const intention = textOf(toolArgs.description) ?? description.split(". ")[0] ?? "";
  const path = changedFiles(toolArgs).join(", ");
  switch (request.kind) {
    case "shell":
      return { ...about, ...toShell(textOf(toolArgs.command) ?? "", intention, request) };
    case "write":
      return {
        ...about,
        fileName: path,
        intention,
        diff: toChangedLines(toolArgs)
          .map(({ mark, text }) => mark + text)
          .join("\n"),
        ...dropUndefined({ newFileContents: textOf(toolArgs.file_text) ?? textOf(toolArgs.content) }),
        canOfferSessionApproval: true,
      };
    case "read":
      return { ...about, path: path || core.cwd, intention };
    case "url":
      return { ...about, url: textOf(toolArgs.url) ?? "", intention };
    case "mcp":
      return { ...about, ...toServerTool(core, toolName), args: toolArgs };
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

function toServerTool({ session }: SessionCore, wireName: string): Json {
  const found = session.toolset.placements.find(({ entry }) => entry.wireName === wireName)?.entry.tool;
  const toolName = found?.name ?? wireName;
  return {
    serverName: found?.server ?? "",
    toolName,
    toolTitle: found?.title ?? toolName,
    readOnly: found?.traits.readOnly === true,
  };
}

/** What an approval for the session covers; the first is what is stored. */
function approvalKeys(asked: Json): readonly string[] {
  switch (asked.kind) {
    case "shell":
      return [`commands:${programsOf(asked).join(" ")}`, ...programsOf(asked).map((name) => `command:${name}`)];
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

function programsOf({ commands }: Json): readonly string[] {
  return textsOf(recordsOf(commands).map(({ identifier }) => identifier));
}
