import { findHeaviest, toAttribution, toContextInfo } from "../events/context-size.ts";
import { toMetrics } from "../events/usage-metrics.ts";
import type { SessionMethod } from "../method.ts";
import { readAccount } from "../models/account.ts";
import { sourcesOf } from "../models/instructions.ts";
import { listModels } from "../models/list-models.ts";
import { DEFAULT_MODEL } from "../models/model-route.ts";
import { applyOptions } from "../sessions/servers.ts";
import { moveTo, shutDown } from "../sessions/sessions.ts";
import { type Live, tell } from "../state/live.ts";
import { noteSession } from "../state/session-notes.ts";
import { filesOf } from "../state/state-files.ts";
import { listPlugins } from "../tools/given-servers.ts";
import { numberOf, recordOf, stated, textOf } from "../wire/wire-values.ts";

/** What is known of a session. */
export const METADATA_METHODS: Readonly<Record<string, SessionMethod>> = {
  "metadata.snapshot": (live) => ({
    sessionId: live.id,
    startTime: new Date(live.startTime).toISOString(),
    modifiedTime: live.log.at(-1)?.timestamp ?? new Date(live.startTime).toISOString(),
    isRemote: false,
    alreadyInUse: false,
    workspacePath: filesOf(live).folder,
    workingDirectory: live.cwd,
    currentMode: live.mode,
    selectedModel: live.model ?? DEFAULT_MODEL,
    sessionLimits: live.wire.sessionLimits ?? null,
    workspace: { id: live.id },
    ...stated({ summary: live.name ?? undefined }),
  }),
  "metadata.setWorkingDirectory": async (live, { workingDirectory }) => {
    await moveTo(live, textOf(workingDirectory) ?? live.cwd);
    return { workingDirectory: live.cwd };
  },
  "metadata.recordContextChange": (live, { context }) => {
    tell(live, "session.context_changed", recordOf(context));
    return {};
  },
  "metadata.isProcessing": (live) => ({ processing: live.running }),
  "metadata.activity": (live) => ({ hasActiveWork: live.running, abortable: live.running }),
  "metadata.contextInfo": (live) => ({ contextInfo: toContextInfo(live) }),
  "metadata.recomputeContextTokens": (live) => {
    const { systemTokens, conversationTokens } = toContextInfo(live);
    return {
      totalTokens: systemTokens + conversationTokens,
      messagesTokenCount: conversationTokens,
      systemTokenCount: systemTokens,
    };
  },
  "metadata.getContextAttribution": async (live) => ({
    contextAttribution: live.size === null ? null : toAttribution(live, await live.session.history()),
  }),
  "metadata.getContextHeaviestMessages": async (live, { limit }) => ({
    totalTokens: toContextInfo(live).totalTokens,
    messages: findHeaviest(await live.session.history(), numberOf(limit) ?? MOST_MESSAGES),
  }),
  "name.get": (live) => ({ name: live.name }),
  "name.set": async (live, { name }) => {
    const given = textOf(name)?.trim() ?? "";
    if (given === "") throw new Error("the name of a session must not be empty");
    await rename(live, given, true);
    return {};
  },
  "name.setAuto": async (live, { summary }) => {
    const given = textOf(summary)?.trim() ?? "";
    if (live.nameIsOwn || given === "") return { applied: false };
    await rename(live, given, false);
    return { applied: true };
  },
  "usage.getMetrics": (live) => toMetrics(live),
  "gitHubAuth.getStatus": (live) =>
    live.facts.get("credentials") ?? readAccount(live.server, textOf(live.wire.gitHubToken) ?? live.server.gitHubToken),
  "gitHubAuth.setCredentials": (live, { token, credentials }) => {
    const { type, host, login, copilotUser } = recordOf(credentials);
    const given = textOf(token) ?? textOf(recordOf(credentials).token);
    if (given !== undefined) live.wire = { ...live.wire, gitHubToken: given };
    const copilotPlan = textOf(recordOf(copilotUser).copilot_plan);
    live.facts.set("credentials", stated({ isAuthenticated: true, authType: type, host, login, copilotPlan }));
    return { success: true };
  },
  "instructions.getSources": async (live) => ({ sources: await sourcesOf(live) }),
  shutdown: async (live, { type, reason }) => {
    await shutDown(live, textOf(type) ?? "routine", textOf(reason));
    return null;
  },
  "lsp.initialize": () => null,
  "telemetry.setFeatureOverrides": () => null,
  "telemetry.getEngagementId": () => ({}),
  "remote.enable": () => ({ remoteSteerable: false }),
  "remote.disable": () => ({}),
  "remote.notifySteerableChanged": (live, { remoteSteerable }) => {
    tell(live, "session.remote_steerable_changed", { remoteSteerable: remoteSteerable === true });
    return {};
  },
  "schedule.list": () => ({ entries: [] }),
  "schedule.stop": () => ({}),
  "visibility.get": () => ({ synced: false }),
  "visibility.set": () => ({ synced: false }),
  "completions.getTriggerCharacters": () => ({ triggerCharacters: [] }),
  "completions.request": () => ({ items: [] }),
  "plugins.list": (live) => ({ plugins: listPlugins(live) }),
  "plugins.reload": async (live) => {
    await applyOptions(live);
    return { plugins: listPlugins(live) };
  },
  "extensions.list": () => ({ extensions: [] }),
  "extensions.sendAttachmentsToMessage": () => {
    throw new Error("only an extension may send attachments to a message");
  },
  ...Object.fromEntries(
    ["enable", "disable", "reload"].map((name) => [
      `extensions.${name}`,
      () => {
        throw new Error("Extensions not available");
      },
    ]),
  ),
  "models.list": async (live) => ({ models: await listModels(live.server) }),
};

const MOST_MESSAGES = 10;

async function rename(live: Live, title: string, isOwn: boolean): Promise<void> {
  live.name = title;
  live.nameIsOwn = isOwn;
  tell(live, "session.title_changed", { title }, { ephemeral: true });
  await noteSession(live);
}
