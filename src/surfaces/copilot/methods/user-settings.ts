import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import { writeWhole } from "../../../system/files/write-whole.ts";
import type { RuntimeState } from "../state/runtime-state.ts";
import { dropUndefined, type Json, recordOf } from "../wire/wire-values.ts";
import type { Method } from "./method.ts";

/** What a person can set for all new sessions, and the option that has it where the app says nothing. */
const SETTINGS: ReadonlyMap<string, { readonly usual: unknown; readonly toOptions: (value: unknown) => Json }> =
  new Map([
    ["model", { usual: null, toOptions: (model) => ({ model }) }],
    ["effortLevel", { usual: null, toOptions: (reasoningEffort) => ({ reasoningEffort }) }],
    ["askUser", { usual: true, toOptions: (asks) => ({ askUserDisabled: asks === false }) }],
  ]);

/** They lie in `settings.json` beside the sessions, with whatever else other programs have there. */
export const USER_SETTING_METHODS: Readonly<Record<string, Method>> = {
  "user.settings.reload": () => null,
  "user.settings.get": async ({ server }) => {
    const own = await read(server);
    const rows = [...SETTINGS].map(([name, { usual }]) => {
      const isDefault = own[name] === undefined;
      return [name, { value: isDefault ? usual : own[name], default: usual, isDefault }];
    });
    return { settings: Object.fromEntries(rows) };
  },
  "user.settings.set": async ({ server, params }) => {
    const changes = recordOf(params.settings);
    const unknown = Object.keys(changes).find((name) => !SETTINGS.has(name));
    if (unknown !== undefined)
      throw new Error(`there is no user setting ${unknown}; there are ${[...SETTINGS.keys()].join(", ")}`);
    const file = fileOf(server);
    await mkdir(server.home, { recursive: true });
    await oneAtATime(file, async () => {
      const all = { ...(await read(server)), ...changes };
      const left = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
      await writeWhole(file, `${JSON.stringify(left, null, 2)}\n`, 0o600);
    });
    return { shadowedKeys: [] };
  },
};

/** What an app wants for a new session, over what the person has set. */
export async function withUserSettings(server: RuntimeState, given: Json): Promise<Json> {
  const own = await read(server).catch((error: Error) => {
    server.note(`user settings do not count: ${error.message}`);
    return {} as Json;
  });
  const set = [...SETTINGS].filter(([name]) => own[name] !== undefined);
  const options = set.map(([name, { toOptions }]) => toOptions(own[name]));
  return { ...Object.assign({}, ...options), ...dropUndefined(given) };
}

function fileOf({ home }: RuntimeState): string {
  return join(home, "settings.json");
}

/** Nothing where there is no such file. */
async function read(server: RuntimeState): Promise<Json> {
  const text = await readFile(fileOf(server), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  try {
    return recordOf(JSON.parse(text));
  } catch (error) {
    throw new Error(`${fileOf(server)} is no JSON: ${String(error)}`);
  }
}
