import type { Calls, SendCall } from "./make-calls.ts";
import type { StandsAt, Where } from "./make-where.ts";

/** Functions of the host that the sandbox offers to the code. */
export interface PreludeHost {
  readonly send: SendCall;
  readonly log: (text: string) => void;
  readonly end: (ok: boolean, text: string | undefined, line?: number, column?: number) => void;
}

/** The code as a function, which reports what it throws. */
type CodeMain = (thrown: (value: unknown) => unknown) => Promise<unknown>;

/** How the host controls the code from outside. */
export interface Prelude {
  readonly start: (main: CodeMain) => void;
  readonly settle: Calls["settle"];
}

export interface PreludeSetting {
  readonly servers: readonly string[];
  /** Characters that the code may output: not much more is copied. */
  readonly output: number;
}

/** What else runs inside the sandbox before the code. */
export interface PreludeParts {
  readonly show: (value: unknown) => string;
  readonly where: Where;
  readonly calls: Calls;
}

/**
 * Runs inside the sandbox before the code: sets up its globals, and how its calls leave and return. Only the text of
 * this function gets there. It takes what it needs of the language before the code can change it.
 */
export function prelude(
  host: PreludeHost,
  { servers, output }: PreludeSetting,
  { show, where, calls }: PreludeParts,
): Prelude {
  const { log, end } = host;
  const { call } = calls;
  const { defineProperty, create, freeze, is } = Object;
  const [OwnProxy, toText] = [Proxy, String];
  const define = (name: string, value: unknown) =>
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });

  const functionsOf = (server: string): unknown =>
    new OwnProxy(create(null), {
      get(_target, name) {
        if (typeof name === "symbol" || name === "then" || name === "toJSON") return undefined;
        const named = where.named();
        return (args: unknown) => call(`${server}.${name}`, args, named);
      },
      set: () => false,
      defineProperty: () => false,
    });
  for (let at = 0; at < servers.length; at++) define(servers[at] ?? "", functionsOf(servers[at] ?? ""));
  const tools = {
    search: (query: unknown, options: unknown) => call("tools.search", { query, options }, null),
    describe: (name: unknown) => call("tools.describe", { name }, null),
    get call() {
      const named = where.named();
      return (name: unknown, args: unknown) => call(toText(name), args, named);
    },
  };
  define("tools", freeze(tools));
  const write = (...values: readonly unknown[]): void => {
    let line = "";
    for (let at = 0; at < values.length && line.length <= output; at++)
      line += (at === 0 ? "" : " ") + show(values[at]);
    log(line);
  };
  define("console", freeze({ log: write, info: write, warn: write, error: write, debug: write }));

  let lastThrown: { value: unknown; spot: StandsAt | null } = { value: undefined, spot: null };
  const thrown = (value: unknown): unknown => {
    lastThrown = { value, spot: where.now() };
    return value;
  };
  const finish = async (main: CodeMain): Promise<void> => {
    try {
      const value = await main(thrown);
      end(true, value === undefined ? undefined : show(value));
    } catch (error) {
      // A thrown value that is not an error has no position, so use the position where it was thrown.
      const spot = where.ofError(error) ?? (is(error, lastThrown.value) ? lastThrown.spot : null);
      if (spot === null) end(false, show(error));
      else end(false, show(error), spot[0], spot[1]);
    }
  };
  return {
    start: (main) => void finish(main),
    settle: calls.settle,
  };
}
