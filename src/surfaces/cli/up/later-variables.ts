import type { CommandInput } from "../command-line/command.ts";

type Env = CommandInput["io"]["env"];

/** Variables that a person's shell got after this process had started. */
export interface LaterVariables {
  /** The environment with them. */
  env(): Env;
  /** Counts these from now on; resolves to the names whose value that changed. */
  take(variables: Readonly<Record<string, string>>): Promise<readonly string[]>;
}

/** The same input with an environment that grows; `follow` is called with what changed, and may refuse it by throwing. */
export function withLater(given: CommandInput) {
  let later: Readonly<Record<string, string>> = {};
  const env = (): Env => ({ ...given.io.env, ...later });
  // Its other members look at the terminal only when they are asked.
  const io: CommandInput["io"] = Object.create(given.io, { env: { get: env, enumerable: true } });
  const toLater = (follow: (changed: readonly string[]) => Promise<void>): LaterVariables => ({
    env,
    async take(variables) {
      const before = later;
      const known = env();
      const changed = Object.keys(variables).filter((name) => known[name] !== variables[name]);
      if (changed.length === 0) return [];
      later = { ...later, ...variables };
      await follow(changed).catch((error: unknown) => {
        later = before;
        throw error;
      });
      return changed;
    },
  });
  return { input: { ...given, io }, toLater };
}
