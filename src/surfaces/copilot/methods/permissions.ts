import { resolve, sep } from "node:path";
import type { SessionMethod } from "../method.ts";
import { applyOptions } from "../sessions/servers.ts";
import type { Live, RuntimeState } from "../state/live.ts";
import { tell } from "../state/live.ts";
import { type Json, recordOf, recordsOf, textOf, textsOf } from "../wire/wire-values.ts";

const DONE = { success: true } as const;

/** Who may run what. */
export const PERMISSION_METHODS: Readonly<Record<string, SessionMethod>> = {
  "permissions.setApproveAll": (live, { enabled }) => setMode(live, enabled === true ? "allow-all" : "manual"),
  "permissions.getMode": (live) => ({ mode: modeOf(live) }),
  "permissions.setMode": (live, { mode }) => ({ ...setMode(live, textOf(mode) ?? "manual"), mode }),
  "permissions.resetSessionApprovals": (live) => {
    live.approvals.clear();
    return DONE;
  },
  "permissions.setRequired": ({ clients }, { required }, { connection }) => {
    const client = clients.get(connection);
    if (client !== undefined) client.permissions = required !== false;
    return DONE;
  },
  "permissions.notifyPromptShown": () => DONE,
  "permissions.modifyRules": (live, { add, remove }) => {
    for (const key of recordsOf(add).flatMap(toKeys)) live.approvals.add(key);
    for (const key of recordsOf(remove).flatMap(toKeys)) live.approvals.delete(key);
    return DONE;
  },
  "permissions.pendingRequests": (live) => ({
    items: [...live.questions].flatMap(([requestId, { kind, asked }]) =>
      kind === "permission" ? [{ requestId, request: asked }] : [],
    ),
  }),
  "permissions.configure": async (live, params) => {
    const { additionalDirectories, workspacePath } = recordOf(params.paths);
    if (Array.isArray(additionalDirectories)) await addFolders(live, textsOf(additionalDirectories));
    if (textOf(workspacePath) !== undefined) setPrimary(live, workspacePath);
    const { unrestricted, initialAllowed } = recordOf(params.urls);
    if (unrestricted !== undefined) live.fetchesFreely = unrestricted === true;
    for (const url of textsOf(initialAllowed)) live.approvals.add(`url:${url}`);
    const { approved, denied } = recordOf(params.rules);
    for (const key of recordsOf(approved).flatMap(toKeys)) live.approvals.add(key);
    if (denied !== undefined) live.denials = new Set(recordsOf(denied).flatMap(toKeys));
    if (params.approveAllReadPermissionRequests !== undefined)
      setApproval(live, "read", params.approveAllReadPermissionRequests === true);
    if (params.approveAllToolPermissionRequests !== undefined)
      setMode(live, params.approveAllToolPermissionRequests === true ? "allow-all" : "manual");
    return DONE;
  },
  "permissions.urls.setUnrestrictedMode": (live, { enabled }) => {
    live.fetchesFreely = enabled === true;
    return DONE;
  },
  "permissions.paths.list": (live) => ({ primary: primaryOf(live), directories: foldersOf(live) }),
  "permissions.paths.add": async (live, { path }) => {
    await addFolders(live, [...textsOf(live.wire.additionalDirectories), textOf(path) ?? ""]);
    return DONE;
  },
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
  "permissions.locations.addToolApproval": (live, { locationKey, approval }) => {
    const kept = approvalsAt(live.server, textOf(locationKey) ?? "");
    kept.push(recordOf(approval));
    for (const key of toKeys(recordOf(approval))) live.approvals.add(key);
    return DONE;
  },
  "permissions.locations.apply": (live, { workingDirectory }) => {
    const locationKey = textOf(workingDirectory) ?? live.cwd;
    const approvals = approvalsAt(live.server, locationKey);
    for (const key of approvals.flatMap(toKeys)) live.approvals.add(key);
    const rules = approvals.flatMap(toRules);
    return { locationType: "dir", locationKey, appliedRuleCount: rules.length, appliedRules: rules };
  },
  "permissions.folderTrust.isTrusted": (live, { path }) => ({ trusted: trustedIn(live).has(textOf(path) ?? live.cwd) }),
  "permissions.folderTrust.addTrusted": (live, { path }) => {
    trustedIn(live).add(textOf(path) ?? live.cwd);
    return DONE;
  },
};

function modeOf({ approvesAll, facts }: Live): string {
  return approvesAll ? "allow-all" : (textOf(facts.get("permission mode")) ?? "manual");
}

function setMode(live: Live, mode: string): Json {
  const previousMode = modeOf(live);
  live.approvesAll = mode === "allow-all";
  live.facts.set("permission mode", mode === "allow-all" ? "manual" : mode);
  if (mode !== previousMode) tell(live, "session.permissions_changed", { mode, previousMode });
  return DONE;
}

function setApproval({ approvals }: Live, key: string, isGiven: boolean): void {
  if (isGiven) approvals.add(key);
  else approvals.delete(key);
}

function setPrimary(live: Live, path: unknown): void {
  live.facts.set("primary folder", resolve(live.cwd, textOf(path) ?? "."));
}

function primaryOf({ facts, cwd }: Live): string {
  return textOf(facts.get("primary folder")) ?? cwd;
}

function foldersOf(live: Live): readonly string[] {
  const added = textsOf(live.wire.additionalDirectories).map((folder) => resolve(live.cwd, folder));
  return [...new Set([primaryOf(live), ...added])];
}

async function addFolders(live: Live, folders: readonly string[]): Promise<void> {
  live.wire = { ...live.wire, additionalDirectories: [...new Set(folders)] };
  await applyOptions(live);
}

function isInside({ cwd }: Live, path: string, folder: string): boolean {
  const whole = resolve(cwd, path);
  return whole === folder || whole.startsWith(folder + sep);
}

const byPlace = new WeakMap<RuntimeState, Map<string, Json[]>>();

/** Approvals of this process, by place; a session has them once it adds or applies them. */
function approvalsAt(server: RuntimeState, location: string): Json[] {
  const all = byPlace.get(server) ?? new Map<string, Json[]>();
  byPlace.set(server, all);
  const found = all.get(location) ?? [];
  all.set(location, found);
  return found;
}

function trustedIn({ facts }: Live): Set<string> {
  const trusted = (facts.get("trusted folders") ?? new Set()) as Set<string>;
  facts.set("trusted folders", trusted);
  return trusted;
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
