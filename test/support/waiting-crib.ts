import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import type { Answerer } from "../../src/core/people/may-answer.ts";
import type { Caller } from "../../src/core/people/person.ts";
import type { ViewOptions } from "../../src/runtime/crib/crib.ts";
import type { RefusedAnswer } from "../../src/runtime/crib/guarded-approvals.ts";
import { openCrib } from "../../src/runtime/crib/open-crib.ts";
import { personProfile } from "../../src/runtime/crib/profile.ts";
import type { SharedPlace } from "../../src/runtime/crib/shared-approvals.ts";
import type { OpenSession } from "../../src/runtime/session/tools/session.ts";
import { createWorkspace } from "./config-workspace.ts";

const SERVER = fileURLToPath(new URL("../fixtures/misbehaving-server.cjs", import.meta.url));
/** The server whose tools wait for somebody. */
export const IT = { command: process.execPath, args: [SERVER] };
const PATIENCE = { timeout: 30_000 };

export const alice: Caller = {
  ...{ issuer: "https://idp.example.com", subject: "alice", client: "c", groups: [], claims: [] },
  ...{ name: "Alice", email: null },
};
export const answerer = (subject: string, approves: Answerer["approves"] = "all"): Answerer => ({
  ...{ by: `${subject}@idp.example.com`, person: { ...alice, subject }, approves },
});
const EVERYBODY = { everybody: true, profile: "all", roles: ["approver"] };

/** Settings of a gateway's configuration; `people` are the rules that give people what they may do. */
export interface WaitingSettings {
  readonly approvals?: unknown;
  readonly people?: readonly object[];
  readonly [setting: string]: unknown;
}

interface WaitingOptions extends Pick<ViewOptions, "whenHere"> {
  readonly shared?: SharedPlace;
}

/** Alice's session behind a gateway; `it/cwd` is asked about where nothing else is said. */
export async function openWaiting(first: WaitingSettings, { shared, whenHere }: WaitingOptions = {}) {
  const written = ({ approvals = "approvers", people = [EVERYBODY], ...rest }: WaitingSettings) =>
    JSON.stringify({
      ...{ mcpServers: { it: IT }, permissions: { ask: ["it/cwd"] }, ...rest },
      gateway: { publicUrl: "https://tools.example.com", approvals, profiles: { all: {} }, auth: { people } },
    });
  const place = createWorkspace({ user: written(first) });
  const env = { PATH: process.env.PATH };
  const refused: RefusedAnswer[] = [];
  const crib = await openCrib(await place.load({}, env), {
    ...{ version: "1", workspace: place.cwd, drain: 0, cwd: place.cwd, home: place.home, env },
    onRefusedAnswer: (each) => void refused.push(each),
    ...(shared === undefined ? {} : { shared }),
  });
  onTestFinished(() => crib.close());
  let elicited = 0;
  const session = await crib.openView({
    ...{ profile: personProfile(crib.config, alice), label: "editor", client: null },
    async approve() {
      elicited += 1;
      return { decision: "allow" };
    },
    ...(whenHere === undefined ? {} : { whenHere }),
  });
  await session.settled(AbortSignal.timeout(30_000));
  const ask = async (tool = "it/cwd", args: Readonly<Record<string, unknown>> = {}) => {
    const result = session.call(tool, args, { behind: {} });
    await expect.poll(() => crib.approvals.pending.length, PATIENCE).toBe(1);
    const [pending] = crib.approvals.pending;
    if (pending === undefined) throw new Error("nothing waits");
    return { result, pending };
  };
  /** All settings are given again; those that are left out are as at first. */
  const reload = async (changed: WaitingSettings) => {
    place.write("user", written({ ...first, ...changed }));
    await crib.reconfigure(await place.load({}, env));
    await session.settled(AbortSignal.timeout(30_000));
  };
  return { crib, session, ask, refused, reload, elicited: () => elicited };
}

export const resultText = async (result: ReturnType<OpenSession["call"]>) => (await result).textResultForLlm;
