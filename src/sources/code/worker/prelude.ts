import type { StandsAt, Where } from "./make-where.ts";

/** Functions of the host that the sandbox offers to the code. */
export interface PreludeHost {
  /** Throws if no more calls may be made. */
  readonly send: (id: number, name: string, args: string, line?: number, column?: number) => void;
  readonly log: (text: string) => void;
  readonly end: (ok: boolean, text: string | undefined, line?: number, column?: number) => void;
}

/** The code as a function, which reports what it throws. */
type CodeMain = (thrown: (value: unknown) => unknown) => Promise<unknown>;

/** How the host controls the code from outside. */
export interface Prelude {
  readonly start: (main: CodeMain) => void;
  readonly settle: (id: number, ok: boolean, value: string) => void;
}

export interface PreludeSetting {
  readonly servers: readonly string[];
  /** Characters that the code may output, and of the arguments of a call: not much more is copied. */
  readonly output: number;
  readonly sent: number;
}

/**
 * Runs inside the sandbox before the code: sets up its globals, and how its calls leave and return. Only the text of
 * this function gets there. It takes what it needs of the language before the code can change it.
 */
export function prelude(
  host: PreludeHost,
  { servers, output, sent }: PreludeSetting,
  show: (value: unknown) => string,
  where: Where,
): Prelude {
  const { parse, stringify } = JSON;
  const { send, log, end } = host;
  const { defineProperty, create, freeze, is } = Object;
  const [OwnError, OwnPromise, OwnProxy, toText] = [Error, Promise, Proxy, String];
  const define = (name: string, value: unknown) =>
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });

  class ToolError extends OwnError {
    readonly tool: string;
    constructor(tool: string) {
      super("");
      this.tool = tool;
      defineProperty(this, "name", { value: "ToolError", enumerable: false });
    }
  }

  // The code sees it in errors, and must not be able to change it.
  freeze(ToolError);

  type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void; error: Error };
  const waiting: Record<number, Waiting> = create(null);
  let last = 0;
  const call = (name: string, args: unknown, named: StandsAt | null): Promise<unknown> => {
    // Created here, in the code's own call, so that its stack has the code's line.
    const error = new ToolError(name);
    const id = ++last;
    return new OwnPromise((resolve, reject) => {
      const text = stringify(args === undefined ? {} : args);
      if (text === undefined) throw new TypeError(`the arguments of ${name} must be an object that JSON can hold`);
      if (text.length > sent) throw new OwnError(`a run of code may send arguments of ${sent} characters`);
      // If none of the code is running, as in `.then(github.list)`, use the line that named the function.
      const place = where.ofError(error) ?? named;
      if (place === null) send(id, name, text);
      else send(id, name, text, place[0], place[1]);
      waiting[id] = { resolve, reject, error };
    });
  };

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
    settle(id, ok, value) {
      const one = waiting[id];
      if (one === undefined) return;
      delete waiting[id];
      const given: unknown = parse(value);
      if (ok) return one.resolve(given);
      one.error.message = toText(given);
      one.reject(one.error);
    },
  };
}
