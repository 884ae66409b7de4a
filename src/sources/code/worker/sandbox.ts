import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from "quickjs-emscripten-core";
import type { CodeLine } from "../../../core/call/call.ts";
import {
  type CodeAnswer,
  type CodeCall,
  type CodeEnd,
  type CodeRun,
  computedTooLong,
  neededTooMuch,
  OUT_OF_MEMORY,
  sharedTooMuch,
} from "../messages.ts";
import { type CodeText, evenLines, lineOfError, PRELUDE_FILE, toCodeText, USER_FILE } from "./code-lines.ts";
import type { CodeEngine } from "./engine.ts";
import { makeCalls } from "./make-calls.ts";
import { makeWhere } from "./make-where.ts";
import type { CodePlace } from "./marks.ts";
import { type Prelude, type PreludeHost, prelude } from "./prelude.ts";
import { makeShow, UNSHOWN } from "./show-value.ts";
import { tameGlobals } from "./tame-globals.ts";

/** One isolated run of code. Its engine is reset as a whole, so nothing in it is released piece by piece. */
export interface CodeSandbox {
  /** Delivers the result of a call. */
  answer(answer: CodeAnswer): void;
  /** Null while the code waits for calls. */
  readonly end: CodeEnd | null;
}

/** The innermost position of a stack, in the sandbox's format. */
const PLACE = /^ {4}at code\.ts:(\d+):(\d+)$/m;

const STACK_BYTES = 512 * 1024;

const NEVER_SETTLED = "The code waits for a promise that nothing will ever settle.";

/** What the engine throws when it gets no memory. */
const NO_MEMORY = `InternalError: ${OUT_OF_MEMORY}`;
/** The same if there is not even enough memory for that error, or to format it. */
const FULL: ReadonlySet<string | null> = new Set([
  ...[NO_MEMORY, "InternalError: out of memory", "null", "[uninitialized]", UNSHOWN],
]);

/** Milliseconds of computing for promises that the code left open when it returned. */
const LATE = 500;

export function startSandbox(engine: CodeEngine, run: CodeRun, onCall: (call: CodeCall) => void): CodeSandbox {
  return new RunningSandbox(engine, run, onCall);
}

/** `(host, servers, now, seed, output, sent) => Prelude`, for the sandbox. */
const PRELUDE = `(() => {
  "use strict";
  return (host, servers, now, seed, output, sent) => {
    (${tameGlobals.toString()})(now, seed);
    const where = (${makeWhere.toString()})(${JSON.stringify(USER_FILE)}, ${JSON.stringify(OUT_OF_MEMORY)});
    const show = (${makeShow.toString()})(${JSON.stringify(UNSHOWN)}, output);
    const calls = (${makeCalls.toString()})(host.send, sent, where);
    return (${prelude.toString()})(host, { servers, output }, { show, where, calls });
  };
})()`;

class RunningSandbox implements CodeSandbox {
  readonly #engine: CodeEngine;
  readonly #run: CodeRun;
  readonly #onCall: (call: CodeCall) => void;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #logs: string[] = [];
  #text: CodeText | null = null;
  #settle: QuickJSHandle | null = null;
  #left: { calls: number; output: number; sent: number; computing: number };
  /** Calls that have not ended. */
  #open = 0;
  #deadline = 0;
  #isDone = false;
  #end: CodeEnd | null = null;

  constructor(engine: CodeEngine, run: CodeRun, onCall: (call: CodeCall) => void) {
    this.#engine = engine;
    this.#run = run;
    this.#onCall = onCall;
    this.#left = { ...run.limits };
    this.#runtime = engine.quickjs.newRuntime();
    this.#runtime.setMaxStackSize(STACK_BYTES);
    this.#runtime.setInterruptHandler(() => performance.now() > this.#deadline);
    this.#context = this.#runtime.newContext();
    this.#compute(() => this.#start());
  }

  get end(): CodeEnd | null {
    // Calls that were started are awaited, even if the code itself did not await them.
    return this.#open === 0 ? this.#end : null;
  }

  answer({ id, ok, value, computed }: CodeAnswer): void {
    this.#open -= 1;
    this.#left.computing -= computed;
    this.#compute(() => {
      const context = this.#context;
      const given = [context.newNumber(id), ok ? context.true : context.false, context.newString(value)];
      if (this.#settle !== null) this.#give(context.callFunction(this.#settle, context.undefined, ...given));
      for (const handle of given) handle.dispose();
    });
  }

  /** Lets the code run until it waits or ends. */
  #compute(work: () => void): void {
    this.#deadline = performance.now() + this.#left.computing;
    try {
      work();
      const ran = this.#runtime.executePendingJobs();
      if (ran.error) this.#fail(ran.error);
      ran.dispose();
    } catch (error) {
      const text = this.#engine.refused === null ? `the code broke its sandbox: ${String(error)}` : NO_MEMORY;
      this.#end ??= this.#ended(false, text, null, true);
    }
    this.#left.computing = this.#deadline - performance.now();
    if (this.#left.computing <= 0 && !this.#isDone && this.#end?.ok !== true)
      this.#end = this.#tooLong(this.#end?.from ?? null);
    if (this.#end === null && this.#open === 0)
      this.#end = this.#ended(false, this.#engine.refused === null ? NEVER_SETTLED : NO_MEMORY, null);
  }

  #start(): void {
    const { code, servers, now, seed, limits } = this.#run;
    const text = this.#strip(evenLines(code));
    if (text === null) return;
    this.#text = text;
    const context = this.#context;
    const made = context.evalCode(PRELUDE, PRELUDE_FILE);
    const make = context.unwrapResult(made);
    const host = this.#toHost();
    const names = context.unwrapResult(context.evalCode(JSON.stringify(servers), PRELUDE_FILE));
    const numbers = [now, seed, limits.output, limits.sent].map((one) => context.newNumber(one));
    const given = [host, names, ...numbers];
    const ready = context.unwrapResult(context.callFunction(make, context.undefined, ...given));
    this.#settle = context.getProp(ready, "settle" satisfies keyof Prelude);
    const start = context.getProp(ready, "start" satisfies keyof Prelude);
    const main = context.evalCode(text.runs, USER_FILE);
    if (main.error) this.#fail(main.error);
    else this.#give(context.callFunction(start, context.undefined, main.value));
  }

  #strip(code: string): CodeText | null {
    try {
      return toCodeText(code);
    } catch (error) {
      const text =
        error instanceof Error
          ? error.message.replace(/^Error transforming [^:]*: | \(\d+:\d+\)$/g, "")
          : String(error);
      this.#end = this.#ended(false, `SyntaxError: ${text}`, lineOfError(code, error));
      return null;
    }
  }

  #toHost(): QuickJSHandle {
    const context = this.#context;
    const host = context.newObject();
    const functions: { readonly [Name in keyof PreludeHost]: (...given: QuickJSHandle[]) => void } = {
      send: (id, name, args, line, column) =>
        this.#send(numberOf(context, id), textOf(context, name), args, placeOf(context, line, column)),
      log: (text) => this.#log(textOf(context, text)),
      end: (ok, text, line, column) => {
        const said = text === undefined || context.typeof(text) === "undefined" ? null : textOf(context, text);
        const isOk = context.dump(ok ?? context.false) === true;
        this.#end ??= this.#ended(
          isOk,
          said === null ? null : this.#cut(said),
          this.#lineAt(placeOf(context, line, column)),
        );
        this.#hurry();
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

  #send(id: number, name: string, args: QuickJSHandle | undefined, place: CodePlace | null): void {
    const text = textOf(this.#context, args);
    const { calls, sent } = this.#run.limits;
    this.#left.calls -= 1;
    if (this.#left.calls < 0) throw new Error(`a run of code may make ${calls} calls`);
    this.#left.sent -= text.length;
    if (this.#left.sent < 0) throw new Error(`a run of code may send arguments of ${sent} characters`);
    this.#open += 1;
    this.#onCall({ id, name: name.slice(0, 300), args: text, from: this.#lineAt(place) });
  }

  /** The code ended in time, so nobody waits long for what else it started. */
  #hurry(): void {
    const now = performance.now();
    if (this.#isDone || now > this.#deadline) return;
    this.#isDone = true;
    this.#deadline = Math.min(this.#deadline, now + LATE);
  }

  #lineAt(place: CodePlace | null): CodeLine | null {
    return place === null ? null : (this.#text?.show(place) ?? null);
  }

  #log(text: string): void {
    if (this.#left.output > 0) this.#logs.push(this.#cut(text));
  }

  #cut(text: string): string {
    const room = Math.max(0, this.#left.output);
    this.#left.output -= text.length + 1;
    return text.length <= room ? text : `${text.slice(0, room)}… (the rest of what the code said is left out)`;
  }

  /** Records what a call into the sandbox threw. */
  #give(result: ReturnType<QuickJSContext["callFunction"]>): void {
    if (result.error) this.#fail(result.error);
    else result.value.dispose();
  }

  #fail(error: QuickJSHandle): void {
    const context = this.#context;
    const shown: unknown = context.dump(error);
    error.dispose();
    const { name, message, stack } = toFields(shown);
    const [, line, column] = PLACE.exec(stack) ?? [];
    const place = line === undefined ? null : { line: Number(line), column: Number(column) };
    this.#end ??= this.#ended(false, `${name}: ${message}`, this.#lineAt(place));
  }

  #tooLong(from: CodeLine | null): CodeEnd {
    return this.#ended(false, computedTooLong(this.#run.limits.computing), from);
  }

  #ended(ok: boolean, said: string | null, from: CodeLine | null, spent = false): CodeEnd {
    // After a fatal failure, open calls no longer matter.
    if (spent) this.#open = 0;
    const isFull = !ok && this.#engine.refused !== null && FULL.has(said);
    const text = isFull ? this.#tooMuch() : said;
    return { ok, text, from, logs: this.#logs, spent };
  }

  #tooMuch(): string {
    return this.#engine.refused === "shared" ? sharedTooMuch(this.#engine.bytes) : neededTooMuch();
  }
}

function textOf(context: QuickJSContext, handle: QuickJSHandle | undefined): string {
  return handle === undefined ? "" : context.getString(handle);
}

function numberOf(context: QuickJSContext, handle: QuickJSHandle | undefined): number {
  return handle === undefined ? 0 : context.getNumber(handle);
}

function placeOf(context: QuickJSContext, line?: QuickJSHandle, column?: QuickJSHandle): CodePlace | null {
  return line === undefined ? null : { line: numberOf(context, line), column: numberOf(context, column) };
}

function toFields(shown: unknown): { readonly name: string; readonly message: string; readonly stack: string } {
  if (typeof shown !== "object" || shown === null) return { name: "Error", message: String(shown), stack: "" };
  const field = (key: string): string => {
    const value: unknown = Reflect.get(shown, key);
    return typeof value === "string" ? value : "";
  };
  return { name: field("name") || "Error", message: field("message"), stack: field("stack") };
}
