import type { StandsAt, Where } from "./make-where.ts";

/** Throws if no more calls may be made. */
export type SendCall = (id: number, name: string, args: string, line?: number, column?: number) => void;

/** The calls of the code that have no answer yet. */
export interface Calls {
  /** `named`: the position where the code named the function. */
  readonly call: (name: string, args: unknown, named: StandsAt | null) => Promise<unknown>;
  readonly settle: (id: number, ok: boolean, value: string) => void;
}

/**
 * Makes the functions through which calls leave and return. Only the text of this function gets into the sandbox, where
 * it takes what it needs of the language before the code can change it. `sent`: characters that the arguments of a call
 * may have; not much more is copied.
 */
export function makeCalls(send: SendCall, sent: number, where: Where): Calls {
  const { parse, stringify } = JSON;
  const { defineProperty, create, freeze } = Object;
  const [OwnError, OwnPromise, toText] = [Error, Promise, String];

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
  return {
    call(name, args, named) {
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
    },
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
