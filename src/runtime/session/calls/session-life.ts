import { AsyncLocalStorage } from "node:async_hooks";
import type { SessionCallHooks } from "../../hooks/call-hooks.ts";

/** The session whose start hooks run: a call that they make cannot wait for their own end. */
const starting = new AsyncLocalStorage<object>();

export type SessionLife = ReturnType<typeof createLife>;

/** Hooks of the session's start run before its first call or prompt, once; those of its end only if they did. */
export function createLife(hooks: SessionCallHooks, mayCall: () => boolean, isSubagent: boolean) {
  let started: Promise<readonly string[]> | null = null;
  let told = false;
  const own = {};
  if (isSubagent) return { started: true, start: async (): Promise<readonly string[]> => [], end: async () => {} };
  const tell = async () => (await hooks.tell("sessionStart", { source: "startup" })).additionalContext;
  const run = () => (mayCall() ? starting.run(own, tell) : tell());
  return {
    get started() {
      return told;
    },
    /** What the hooks want the model to know, for the first one who asks. */
    async start(): Promise<readonly string[]> {
      if (!told && starting.getStore() === own) return [];
      started ??= run();
      const context = await started;
      const isFirst = !told;
      told = true;
      return isFirst ? context : [];
    },
    async end(): Promise<void> {
      if (started !== null) await hooks.tell("sessionEnd", { reason: "closed" });
    },
  };
}
