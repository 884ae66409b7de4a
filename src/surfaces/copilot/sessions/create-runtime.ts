import { join, resolve } from "node:path";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { shareSignal } from "../../../runtime/executor/given-signal.ts";
import type { ModelCarrier } from "../../../runtime/models/http-model.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import { createHiddenValues } from "../../../system/text/hidden-values.ts";
import { readVersion } from "../../../system/version.ts";
import { hideFrom, type Onlooker } from "../state/onlooker.ts";
import { openTelemetry } from "../state/telemetry.ts";
import { isSaid, type RpcFlags } from "../wire/flags.ts";
import type { Runtime } from "./client-session.ts";
import { createStores } from "./session-stores.ts";

export const SHUT_DOWN = "the runtime was shut down";

export type RuntimeFlags = Pick<RpcFlags, "approvesAll" | "tokenVariable"> &
  Partial<Pick<RpcFlags, "logLevel" | "idleTimeout">> & { readonly carrier?: ModelCarrier };

/** A runtime without clients and sessions. */
export function createRuntime(
  flags: RuntimeFlags,
  note: (text: string) => void,
  around: Surroundings,
  onlooker: Onlooker | null,
): Runtime {
  const { env, cwd } = around;
  const over = new AbortController();
  shareSignal(over.signal);
  const stores = createStores();
  const secrets = createHiddenValues();
  const version = readVersion();
  const say: Runtime["note"] = (text, level = "warning") =>
    void (isSaid(level, flags.logLevel ?? "info") && note(secrets.text(text)));
  let ending: Promise<void> | null = null;
  const endSessions = async (): Promise<void> => {
    const { closeLive } = await import("./sessions.ts");
    await Promise.all([...runtime.live.values()].map((live) => closeLive(runtime, live)));
    await Promise.all([stores.close(), runtime.telemetry?.close()]);
    over.abort(new Error(SHUT_DOWN));
  };
  const runtime: Runtime = {
    around,
    version,
    home: resolve(cwd, env.COPILOT_HOME || join(homeFolder(env), ".copilot")),
    approvesAll: flags.approvesAll,
    token: env.COPILOT_CONNECTION_TOKEN || null,
    gitHubToken: findToken(env, flags.tokenVariable),
    note: say,
    idleTimeout: flags.idleTimeout ?? null,
    secrets,
    onlooker: onlooker && hideFrom(onlooker, secrets),
    telemetry: openTelemetry({ around, version, note: say, hide: secrets.text }),
    connections: new Set(),
    live: new Map(),
    opening: new Map(),
    carrier: flags.carrier ?? ((url, asked) => fetch(url, asked)),
    inference: null,
    exchanges: new Map(),
    endpoints: null,
    files: null,
    disabledSkills: new Set(),
    approvals: new Map(),
    isOver: false,
    over: over.signal,
    store: () => stores.current(runtime),
    end() {
      runtime.isOver = true;
      ending ??= endSessions();
      return ending;
    },
  };
  return runtime;
}

function findToken(env: Surroundings["env"], variable: string | null): string | null {
  const names = [variable ?? "", "COPILOT_SDK_AUTH_TOKEN", "COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"];
  return names.map((name) => env[name]).find((value) => value !== undefined && value !== "") ?? null;
}
