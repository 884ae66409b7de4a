import { resolve, sep } from "node:path";
import { noteDecider } from "../permissions/no-handler.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import { applyOptions } from "../sessions/session-options.ts";
import { emit, type SessionCore, setOptions } from "../state/session-core.ts";
import { type Json, recordOf, recordsOf, textOf, textsOf } from "../wire/wire-values.ts";
import { after, type SessionMethod } from "./method.ts";

const DONE = { success: true } as const;

/** Who may run what. */
export const PERMISSION_METHODS: Readonly<Record<string, SessionMethod>> = {
  "permissions.setApproveAll": (live, { enabled }) => setMode(live, enabled === true ? "allow-all" : "manual"),
  "permissions.getMode": (live) => ({ mode: modeOf(live) }),
  "permissions.setMode": (live, { mode }) => ({ ...setMode(live, textOf(mode) ?? "manual"), mode }),
  "permissions.resetSessionApprovals": ({ permissions }) => {
    permissions.approvals.clear();
    return DONE;
  },
  "permissions.setRequired": ({ core }, { required }, { connection }) => {
    const client = core.clients.get(connection);
    if (client !== undefined) client.permissions = required !== false;
    return DONE;
  },
  "permissions.notifyPromptShown": ({ core }, _params, { connection }) => {
    noteDecider(core, connection);
    return DONE;
  },
  "permissions.modifyRules": ({ permissions: { approvals } }, { add, remove }) => {
    approve(approvals, recordsOf(add));
    for (const key of recordsOf(remove).flatMap(toKeys)) approvals.delete(key);
    return DONE;
  },
  "permissions.pendingRequests": ({ core }, _params, { connection }) => {
    noteDecider(core, connection);
    return {
      items: [...core.questions].flatMap(([requestId, { kind, asked }]) =>
        kind === "permission" ? [{ requestId, request: asked }] : [],
      ),
    };
  },
  "permissions.configure": async (live, params) => {
    const { permissions } = live;
    const { additionalDirectories, workspacePath } = recordOf(params.paths);
    if (Array.isArray(additionalDirectories)) await addFolders(live, textsOf(additionalDirectories));
    if (textOf(workspacePath) !== undefined) setPrimary(live, workspacePath);
    const { unrestricted, initialAllowed } = recordOf(params.urls);
    if (unrestricted !== undefined) permissions.fetchesFreely = unrestricted === true;
    for (const url of textsOf(initialAllowed)) permissions.approvals.add(`url:${url}`);
    const { approved, denied } = recordOf(params.rules);
    approve(permissions.approvals, recordsOf(approved));
    if (denied !== undefined) permissions.denials = new Set(recordsOf(denied).flatMap(toKeys));
    const { approveAllReadPermissionRequests: reads, approveAllToolPermissionRequests: all } = params;
    if (reads === true) permissions.approvals.add("read");
    else if (reads !== undefined) permissions.approvals.delete("read");
    if (all !== undefined) setMode(live, all === true ? "allow-all" : "manual");
    return DONE;
  },
  "permissions.urls.setUnrestrictedMode": ({ permissions }, { enabled }) => {
    permissions.fetchesFreely = enabled === true;
    return DONE;
  },
  "permissions.paths.list": (live) => ({ primary: primaryOf(live), directories: foldersOf(live) }),
  "permissions.paths.add": (live, { path }) =>
    after(addFolders(live, [...live.core.options.additionalDirectories, textOf(path) ?? ""]), DONE),
  "permissions.paths.updatePrimary": (live, { path }) => {
    setPrimary(live, path);
    return DONE;
  },
  "permissions.paths.isPathWithinAllowedDirectories": (live, { path }) => ({
    allowed: foldersOf(live).some((folder) => isInside(live, textOf(path) ?? "", folder)),
  }),
  "permissions.paths.isPathWithinWorkspace": (live, { path }) => ({
    allowed: isInside(live, textOf(path) ?? "", primaryOf(live)),
  }),
  "permissions.locations.resolve": (_live, { workingDirectory }) => ({
    locationType: "dir",
    locationKey: textOf(workingDirectory) ?? "",
  }),
  "permissions.locations.addToolApproval": ({ core, permissions }, { locationKey, approval }) => {
    approvalsAt(core, textOf(locationKey) ?? "").push(recordOf(approval));
    approve(permissions.approvals, [recordOf(approval)]);
    return DONE;
  },
  "permissions.locations.apply": ({ core, permissions }, { workingDirectory }) => {
    const locationKey = textOf(workingDirectory) ?? core.cwd;
    const given = approvalsAt(core, locationKey);
    approve(permissions.approvals, given);
    const appliedRules = given.flatMap(toRules);
    return { locationType: "dir", locationKey, appliedRuleCount: appliedRules.length, appliedRules };
  },
  "permissions.folderTrust.isTrusted": ({ core, permissions }, { path }) => ({
    trusted: permissions.trustedFolders.has(textOf(path) ?? core.cwd),
  }),
  "permissions.folderTrust.addTrusted": ({ core, permissions }, { path }) => {
    permissions.trustedFolders.add(textOf(path) ?? core.cwd);
    return DONE;
  },
};

function modeOf({ permissions: { approvesAll, mode } }: ClientSession): string {
  return approvesAll ? "allow-all" : mode;
}

function setMode(live: ClientSession, mode: string): Json {
  const { core, permissions } = live;
  const previousMode = modeOf(live);
  permissions.approvesAll = mode === "allow-all";
  permissions.mode = mode === "allow-all" ? "manual" : mode;
  if (mode !== previousMode) emit(core, "session.permissions_changed", { mode, previousMode });
  return DONE;
}

function approve(approvals: Set<string>, given: readonly Json[]): void {
  for (const key of given.flatMap(toKeys)) approvals.add(key);
}

function setPrimary({ core, permissions }: ClientSession, path: unknown): void {
  permissions.primaryFolder = resolve(core.cwd, textOf(path) ?? ".");
}

function primaryOf({ core, permissions }: ClientSession): string {
  return permissions.primaryFolder ?? core.cwd;
}

function foldersOf(live: ClientSession): readonly string[] {
  const { options, cwd } = live.core;
  return [...new Set([primaryOf(live), ...options.additionalDirectories.map((folder) => resolve(cwd, folder))])];
}

async function addFolders(live: ClientSession, folders: readonly string[]): Promise<void> {
  setOptions(live.core, { additionalDirectories: [...new Set(folders)] });
  await applyOptions(live);
}

function isInside({ core }: ClientSession, path: string, folder: string): boolean {
  const whole = resolve(core.cwd, path);
  return whole === folder || whole.startsWith(folder + sep);
}

/** Approvals of this process for a place; a session has them once it adds or applies them. */
function approvalsAt({ server: { approvals } }: SessionCore, location: string): Json[] {
  const found = approvals.get(location) ?? [];
  approvals.set(location, found);
  return found;
}

function toRules({ kind, commandIdentifiers, toolName, serverName }: Json): readonly Json[] {
  if (kind === "commands") return textsOf(commandIdentifiers).map((argument) => ({ kind: "shell", argument }));
  return [{ kind, argument: toolName ?? serverName ?? null }];
}

/** What an approval covers, as questions look for it. */
function toKeys(approval: Json): readonly string[] {
  switch (approval.kind) {
    case "commands":
      return textsOf(approval.commandIdentifiers).map((name) => `command:${name}`);
    case "shell":
      return [`command:${String(approval.argument)}`];
    case "mcp":
      return [`mcp:${String(approval.serverName)}/${approval.toolName === null ? "*" : String(approval.toolName)}`];
    case "custom-tool":
      return [`custom-tool:${String(approval.toolName)}`];
    default:
      return typeof approval.kind === "string" ? [approval.kind] : [];
  }
}
