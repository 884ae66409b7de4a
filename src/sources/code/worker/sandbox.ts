import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
  Scope,
} from "quickjs-emscripten-core";
import { type CodeAnswer, type CodeCall, type CodeEnd, type CodeRun, computedTooLong } from "../messages.ts";
import { callLineIn, lineIn, PRELUDE_FILE, USER_FILE } from "./code-lines.ts";
import { type Prelude, type PreludeHost, prelude } from "./prelude.ts";
import { makeShow } from "./show-value.ts";
import { stripTypes } from "./strip-types.ts";
import { tameGlobals } from "./tame-globals.ts";

/** One run of code, apart from everything else. */
export interface CodeSandbox {
  /** A call of the code has ended. */
  answer(answer: CodeAnswer): void;
  /** Null while the code waits for calls. */
  readonly end: CodeEnd | null;
  dispose(): void;
}

const STACK_BYTES = 512 * 1024;

export function startSandbox(engine: QuickJSWASMModule, run: CodeRun, onCall: (call: CodeCall) => void): CodeSandbox {
  return new RunningSandbox(engine, run, onCall);
}

/** `(host, servers, now, seed) => Prelude`, in the sandbox's own words. */
const PRELUDE = `(() => {
  "use strict";
  return (host, servers, now, seed) => {
    (${tameGlobals.toString()})(now, seed);
    return (${prelude.toString()})(host, servers, (${makeShow.toString()})());
  };
})()`;

class RunningSandbox implements CodeSandbox {
  readonly #run: CodeRun;
  readonly #onCall: (call: CodeCall) => void;
  readonly #scope = new Scope();
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #logs: string[] = [];
  /** The code as the model wrote it. */
  readonly #lines: readonly string[];
  #settle: QuickJSHandle | null = null;
  #left: { calls: number; output: number; sent: number; computing: number };
  /** Calls that have not ended. */
  #open = 0;
  #deadline = 0;
  #end: CodeEnd | null = null;

  constructor(engine: QuickJSWASMModule, run: CodeRun, onCall: (call: CodeCall) => void) {
    this.#run = run;
    this.#lines = run.code.split("\n");
    this.#onCall = onCall;
    this.#left = { ...run.limits };
    this.#runtime = this.#scope.manage(engine.newRuntime());
    this.#runtime.setMemoryLimit(run.limits.memory);
    this.#runtime.setMaxStackSize(STACK_BYTES);
    this.#runtime.setInterruptHandler(() => performance.now() > this.#deadline);
    this.#context = this.#scope.manage(this.#runtime.newContext());
    this.#compute(() => this.#start());
  }

  get end(): CodeEnd | null {
    // What was begun is waited for, also where the code itself did not.
    return this.#open === 0 ? this.#end : null;
  }

  answer({ id, ok, value }: CodeAnswer): void {
    this.#open -= 1;
    this.#compute(() => {
      const context = this.#context;
      const given = [context.newNumber(id), ok ? context.true : context.false, context.newString(value)];
      if (this.#settle !== null) this.#give(context.callFunction(this.#settle, context.undefined, ...given));
      for (const handle of given) handle.dispose();
    });
  }

  dispose(): void {
    this.#scope.dispose();
  }

  /** Lets the code go on until it waits or ends. */
  #compute(work: () => void): void {
    const since = performance.now();
    this.#deadline = since + this.#left.computing;
    try {
      work();
      const ran = this.#runtime.executePendingJobs();
      if (ran.error) this.#fail(ran.error);
      ran.dispose();
    } catch (error) {
      this.#end ??= this.#ended(false, `the code broke its sandbox: ${String(error)}`, null, true);
    }
    this.#left.computing -= performance.now() - since;
    if (this.#left.computing <= 0 && this.#end?.ok !== true) this.#end = this.#tooLong(this.#end?.line ?? null);
    if (this.#end === null && this.#open === 0)
      this.#end = this.#ended(false, "The code waits for a promise that nothing will ever settle.", null);
  }

  #start(): void {
    const { code, servers, now, seed } = this.#run;
    const stripped = this.#strip(code);
    if (stripped === null) return;
    const context = this.#context;
    const made = context.evalCode(PRELUDE, PRELUDE_FILE);
    const make = this.#scope.manage(context.unwrapResult(made));
    const host = this.#scope.manage(this.#toHost());
    const names = this.#scope.manage(context.unwrapResult(context.evalCode(JSON.stringify(servers), PRELUDE_FILE)));
    const given = [host, names, context.newNumber(now), context.newNumber(seed)];
    const ready = this.#scope.manage(context.unwrapResult(context.callFunction(make, context.undefined, ...given)));
    this.#settle = this.#scope.manage(context.getProp(ready, "settle" satisfies keyof Prelude));
    const start = this.#scope.manage(context.getProp(ready, "start" satisfies keyof Prelude));
    // On one line with the first of the code, so that its lines keep their numbers.
    const main = context.evalCode(`(async () => {${stripped}\n})`, USER_FILE);
    if (main.error) this.#fail(main.error);
    else this.#give(context.callFunction(start, context.undefined, this.#scope.manage(main.value)));
  }

  #strip(code: string): string | null {
    try {
      return stripTypes(code);
    } catch (error) {
      const text = error instanceof Error ? error.message.replace(/^Error transforming [^:]*: /, "") : String(error);
      const line = /\((\d+):\d+\)/.exec(text)?.[1];
      this.#end = this.#ended(false, `SyntaxError: ${text}`, line === undefined ? null : Number(line));
      return null;
    }
  }

  #toHost(): QuickJSHandle {
    const context = this.#context;
    const host = context.newObject();
    const functions: { readonly [Name in keyof PreludeHost]: (...given: QuickJSHandle[]) => void } = {
      send: (id, name, args, stack) => this.#send(numberOf(context, id), textOf(context, name), args, stack),
      log: (text) => this.#log(textOf(context, text)),
      end: (ok, text, stack) => {
        const said = text === undefined || context.typeof(text) === "undefined" ? null : textOf(context, text);
        const line = lineIn(textOf(context, stack));
        const isOk = context.dump(ok ?? context.false) === true;
        this.#end ??= this.#ended(isOk, said === null ? null : this.#cut(said), line);
      },
    };
    for (const [name, work] of Object.entries(functions)) {
      const handle = context.newFunction(name, (...given) => {
        work(...given);
        return context.undefined;
      });
      context.setProp(host, name, handle);
      handle.dispose();
    }
    return host;
  }

  #send(id: number, name: string, args: QuickJSHandle | undefined, stack: QuickJSHandle | undefined): void {
    const text = textOf(this.#context, args);
    const { calls, sent } = this.#run.limits;
    this.#left.calls -= 1;
    if (this.#left.calls < 0) throw new Error(`a run of code may make ${calls} calls`);
    this.#left.sent -= text.length;
    if (this.#left.sent < 0) throw new Error(`a run of code may send arguments of ${sent} characters`);
    this.#open += 1;
    const line = callLineIn(textOf(this.#context, stack), name, this.#lines);
    this.#onCall({ id, name: name.slice(0, 300), args: text, line });
  }

  #log(text: string): void {
    if (this.#left.output > 0) this.#logs.push(this.#cut(text));
  }

  #cut(text: string): string {
    const room = Math.max(0, this.#left.output);
    this.#left.output -= text.length + 1;
    return text.length <= room ? text : `${text.slice(0, room)}… (the rest of what the code said is left out)`;
  }

  /** Takes note of what a call into the sandbox threw. */
  #give(result: ReturnType<QuickJSContext["callFunction"]>): void {
    if (result.error) this.#fail(result.error);
    else result.value.dispose();
  }

  #fail(error: QuickJSHandle): void {
    const context = this.#context;
    const shown: unknown = context.dump(error);
    error.dispose();
    const { name, message, stack } = toFields(shown);
    const line = lineIn(stack);
    this.#end ??= this.#ended(false, `${name}: ${message}`, line);
  }

  #tooLong(line: number | null): CodeEnd {
    return this.#ended(false, computedTooLong(this.#run.limits.computing), line);
  }

  #ended(ok: boolean, text: string | null, line: number | null, broken = false): CodeEnd {
    // Nothing that it still waits for matters once it has failed for good.
    if (broken) this.#open = 0;
    return { ok, text, line, logs: this.#logs, broken };
  }
}

function textOf(context: QuickJSContext, handle: QuickJSHandle | undefined): string {
  return handle === undefined ? "" : context.getString(handle);
}

function numberOf(context: QuickJSContext, handle: QuickJSHandle | undefined): number {
  return handle === undefined ? 0 : context.getNumber(handle);
}

function toFields(shown: unknown): { readonly name: string; readonly message: string; readonly stack: string } {
  if (typeof shown !== "object" || shown === null) return { name: "Error", message: String(shown), stack: "" };
  const field = (key: string): string => {
    const value: unknown = Reflect.get(shown, key);
    return typeof value === "string" ? value : "";
  };
  return { name: field("name") || "Error", message: field("message"), stack: field("stack") };
}
