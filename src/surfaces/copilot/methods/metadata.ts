import { findHeaviest, toAttribution, toContextInfo, toMetrics } from "../events/session-figures.ts";
import { modelName } from "../models/model-state.ts";
import { listModels, readAccount } from "../models/service.ts";
import { findInstructions, instructionFolders } from "../models/system-text.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import { applyOptions } from "../sessions/session-options.ts";
import { moveTo, shutDown } from "../sessions/sessions.ts";
import { emit, emitPassing, type SessionCore, setOptions } from "../state/session-core.ts";
import { filesOf } from "../state/session-files.ts";
import { noteSession } from "../state/session-notes.ts";
import { createSchedules, hasSchedules, toScheduleEntry } from "../tools/schedules.ts";
import { listPlugins, type ServerState } from "../tools/servers.ts";
import { dropUndefined, numberOf, recordOf, textOf } from "../wire/wire-values.ts";
import { after, type SessionMethod } from "./method.ts";

/** What is known of a session. */
export const METADATA_METHODS: Readonly<Record<string, SessionMethod>> = {
  "metadata.snapshot": ({ core, events, models }) => {
    const startTime = new Date(core.startTime).toISOString();
    return {
      ...{ sessionId: core.id, startTime, modifiedTime: events.log.at(-1)?.timestamp ?? startTime },
      ...{ isRemote: false, alreadyInUse: false, workspacePath: filesOf(core).folder, workingDirectory: core.cwd },
      ...{ currentMode: core.mode, selectedModel: modelName(models), workspace: { id: core.id } },
      sessionLimits: core.options.sessionLimits ?? null,
      ...dropUndefined({ summary: core.name ?? undefined }),
    };
  },
  "metadata.setWorkingDirectory": async (live, { workingDirectory }) => {
    await moveTo(live, textOf(workingDirectory) ?? live.core.cwd);
    return { workingDirectory: live.core.cwd };
  },
  "metadata.recordContextChange": ({ core }, { context }) => {
    emit(core, "session.context_changed", recordOf(context));
    return {};
  },
  "metadata.isProcessing": ({ turns }) => ({ processing: turns.running !== null }),
  "metadata.activity": ({ turns }) => ({ hasActiveWork: turns.running !== null, abortable: turns.running !== null }),
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
    contextAttribution: live.models.size === null ? null : toAttribution(live, await live.core.session.history()),
  }),
  "metadata.getContextHeaviestMessages": async (live, { limit }) => ({
    totalTokens: toContextInfo(live).totalTokens,
    messages: findHeaviest(await live.core.session.history(), numberOf(limit) ?? MOST_MESSAGES),
  }),
  "name.get": ({ core }) => ({ name: core.name }),
  "name.set": async (live, { name }) => {
    const given = textOf(name)?.trim() ?? "";
    if (given === "") throw new Error("the name of a session must not be empty");
    return after(rename(live, given, true), {});
  },
  "name.setAuto": async (live, { summary }) => {
    const given = textOf(summary)?.trim() ?? "";
    if (live.core.nameIsOwn || given === "") return { applied: false };
    return after(rename(live, given, false), { applied: true });
  },
  "usage.getMetrics": (live) => toMetrics(live),
  "gitHubAuth.getStatus": ({ core: { server, options }, models }) =>
    models.account ?? readAccount(server, options.gitHubToken ?? server.gitHubToken),
  "gitHubAuth.setCredentials": ({ core, models }, { token, credentials }) => {
    const { type, host, login, copilotUser, token: own } = recordOf(credentials);
    const given = textOf(token) ?? textOf(own);
    if (given !== undefined) setOptions(core, { gitHubToken: given });
    const copilotPlan = textOf(recordOf(copilotUser).copilot_plan);
    models.account = dropUndefined({ isAuthenticated: true, authType: type, host, login, copilotPlan });
    return { success: true };
  },
  "instructions.getSources": async ({ core }) => ({ sources: await findInstructions(instructionFolders(core)) }),
  shutdown: (live, { type, reason }, { server }) =>
    after(shutDown(server, live, textOf(type) ?? "routine", textOf(reason)), null),
  "lsp.initialize": () => null,
  "telemetry.setFeatureOverrides": () => null,
  "telemetry.getEngagementId": () => ({}),
  "remote.enable": () => ({ remoteSteerable: false }),
  "remote.disable": () => ({}),
  "remote.notifySteerableChanged": ({ core }, { remoteSteerable }) => {
    emit(core, "session.remote_steerable_changed", { remoteSteerable: remoteSteerable === true });
    return {};
  },
  "schedule.list": async ({ core, servers }) => ({
    entries: (await listSchedules(core, servers)).map(toScheduleEntry),
  }),
  "schedule.stop": async ({ core, servers }, { id }) => {
    const found = (await listSchedules(core, servers)).find((one) => toScheduleEntry(one).id === id);
    const isGone = found !== undefined && (await createSchedules(core, servers).remove(found.id));
    return isGone ? { entry: toScheduleEntry(found) } : {};
  },
  "visibility.get": () => ({ synced: false }),
  "visibility.set": () => ({ synced: false }),
  "completions.getTriggerCharacters": () => ({ triggerCharacters: [] }),
  "completions.request": () => ({ items: [] }),
  "plugins.list": ({ core }) => ({ plugins: listPlugins(core) }),
  "plugins.reload": async (live) => {
    await applyOptions(live);
    return { plugins: listPlugins(live.core) };
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
  "models.list": async ({ core }) => ({ models: await listModels(core.server) }),
};

const MOST_MESSAGES = 10;

async function listSchedules(core: SessionCore, servers: ServerState) {
  return hasSchedules(core, servers) ? createSchedules(core, servers).list() : [];
}

async function rename(live: ClientSession, title: string, isOwn: boolean): Promise<void> {
  live.core.name = title;
  live.core.nameIsOwn = isOwn;
  emitPassing(live.core, "session.title_changed", { title });
  await noteSession(live);
}
