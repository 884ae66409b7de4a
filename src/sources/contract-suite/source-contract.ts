import assert from "node:assert/strict";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { Source } from "../source.ts";
import { checkListedTools, checkResult, checkStatus } from "./check-shapes.ts";
import { createPatience, type Patience } from "./patience.ts";

/** One call: a tool by the name its source gives it, and arguments for it. */
export interface ContractCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A source that is ready to be checked, and what only its maker can do with it. */
export interface SourceSubject {
  readonly source: Source;
  /** Changes the list, but leaves at least the tool of `calls.works` as it was. */
  readonly change?: () => void | Promise<void>;
  /** Gives the source the same tools again; no change must be reported. */
  readonly repeat?: () => void | Promise<void>;
  /** What is left of it: processes, files, requests. Read after `close`; must be empty. */
  readonly leftovers?: () => readonly string[] | Promise<readonly string[]>;
  /** Cleans up what the maker set up. */
  readonly dispose?: () => void | Promise<void>;
}

export interface SourceContract {
  /** Called again for each check. */
  readonly make: () => SourceSubject | Promise<SourceSubject>;
  readonly calls: {
    /** Succeeds. */
    readonly works: ContractCall;
    /** Fails in the tool itself: it throws, exits with an error, or reports one. */
    readonly fails?: ContractCall;
    /** Has arguments that do not fit; without it, `works` is called with an unknown argument. */
    readonly misfits?: ContractCall;
    /** Does not end by itself. */
    readonly hangs?: ContractCall;
  };
  /** Milliseconds within which the source has to answer; 5,000 if absent. */
  readonly patience?: number;
  /** Whether `make` gives a source whose list can change; without it those checks are left out. */
  readonly changes?: boolean;
}

/** One thing that every source must do. `check` rejects with what is wrong. */
export interface ContractCheck {
  readonly name: string;
  check(): Promise<void>;
}

type Work = (subject: SourceSubject, within: Patience) => Promise<void>;

/**
 * What every source must do, as checks that any test runner can run: `for (const { name, check } of sourceContract({
 * make, calls })) test(name, check);`
 */
export function sourceContract(contract: SourceContract): readonly ContractCheck[] {
  const { works, fails, hangs } = contract.calls;
  const misfits = contract.calls.misfits ?? { ...works, args: { ...works.args, "no such argument": [1] } };
  const checks: readonly (readonly [string, Work | null])[] = [
    ["lists well-formed tools of its own kind, and says how it is", listsTools],
    ["lists the same objects while nothing changed", listsSameObjects],
    ["stops waiting for a list when told so", stopsListing],
    ["answers a call with one result", (subject, within) => answers(subject, within, works, ["success"])],
    ["answers calls side by side", sideBySide(works)],
    ["answers when the tool fails", fails ? (subject, within) => answers(subject, within, fails, NOT_SUCCESS) : null],
    ["answers when arguments do not fit", (subject, within) => answers(subject, within, misfits, ANY)],
    ["answers for a tool it does not have", answersUnknown(works)],
    ["answers at once, and runs nothing, when the call is cancelled already", cancelledBefore(hangs ?? works)],
    ["answers at once when a running call is cancelled", hangs ? cancelledDuring(hangs) : null],
    ["tells of a change, and no more after being told to stop", contract.changes ? reportsChanges : null],
    ["keeps the objects of tools that did not change", contract.changes ? keepsObjects(works) : null],
    ["stays quiet when the same tools come again", contract.changes ? staysQuiet : null],
    ["closes twice", closesTwice],
    ["answers with a list or a typed error after its end", listsAfterClose],
    ["runs nothing after its end", runsNothingAfterClose(works)],
    ["ends running calls when it closes", hangs ? endsCalls(hangs) : null],
    ["leaves nothing behind", leavesNothing(works)],
  ];
  return checks.flatMap(([name, work]) => (work === null ? [] : [{ name, check: () => perform(contract, work) }]));
}

const ANY = ["success", "failure", "rejected", "denied", "timeout"] as const;
const NOT_SUCCESS = ANY.filter((type) => type !== "success");

async function perform({ make, patience = 5_000 }: SourceContract, work: Work): Promise<void> {
  const subject = await make();
  const within = createPatience(patience);
  try {
    await work(subject, within);
  } finally {
    within.end();
    await subject.source.close();
    await subject.dispose?.();
  }
}

const listsTools: Work = async ({ source }, within) => {
  const tools = await listOf(source, within);
  checkListedTools(tools, source.kind);
  checkStatus(source.status);
};

const listsSameObjects: Work = async ({ source }, within) => {
  const first = await listOf(source, within);
  const second = await listOf(source, within);
  assert.deepEqual(namesOf(second), namesOf(first), "a second list has other tools");
  for (const [at, tool] of second.entries()) assert.ok(tool === first[at], `${tool.name} is another object`);
};

const stopsListing: Work = async ({ source }, within) => {
  await within.wait("list with an aborted signal", source.list(AbortSignal.abort()).catch(requireTyped));
};

async function answers(
  { source }: SourceSubject,
  within: Patience,
  call: ContractCall,
  types: readonly string[],
): Promise<void> {
  const result = await within.wait("run", start(source, await find(source, within, call), call));
  checkResult(result);
  assert.ok(types.includes(result.resultType), `the result is a ${result.resultType}: ${result.textResultForLlm}`);
}

function sideBySide(call: ContractCall): Work {
  return async ({ source }, within) => {
    const tool = await find(source, within, call);
    const results = await within.wait("five calls", Promise.all([1, 2, 3, 4, 5].map(() => start(source, tool, call))));
    for (const result of results) {
      checkResult(result);
      assert.equal(result.resultType, "success", result.textResultForLlm);
    }
  };
}

function answersUnknown(call: ContractCall): Work {
  return async ({ source }, within) => {
    const known = await find(source, within, call);
    const unknown = { ...known, name: "no_such_tool", id: null, original: null };
    const result = await within.wait("run", start(source, unknown, call));
    checkResult(result);
    assert.notEqual(result.resultType, "success", "a tool that is not there succeeded");
  };
}

function cancelledBefore(call: ContractCall): Work {
  return async ({ source }, within) => {
    const result = await within.wait("run", start(source, await find(source, within, call), call, AbortSignal.abort()));
    checkResult(result);
    assert.notEqual(result.resultType, "success", "a cancelled call succeeded");
  };
}

function cancelledDuring(call: ContractCall): Work {
  return async ({ source }, within) => {
    const controller = new AbortController();
    const running = start(source, await find(source, within, call), call, controller.signal);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const result = await within.wait("a cancelled call", running);
    checkResult(result);
    assert.notEqual(result.resultType, "success", "a cancelled call succeeded");
  };
}

const reportsChanges: Work = async ({ source, change }, within) => {
  assert.ok(change, "`changes` is set, but `make` gives no `change`");
  const before = await listOf(source, within);
  let stopped = 0;
  const stop = source.changes(() => {
    stopped += 1;
  });
  stop();
  stop();
  const reported = new Promise<void>((resolve) => source.changes(resolve));
  await change();
  await within.wait("word of the change", reported);
  const after = await listOf(source, within);
  assert.notDeepEqual(after, before, "the list reads as before");
  assert.equal(stopped, 0, "a listener that had stopped was told");
};

function keepsObjects(call: ContractCall): Work {
  return async ({ source, change }, within) => {
    assert.ok(change, "`changes` is set, but `make` gives no `change`");
    const before = await find(source, within, call);
    const reported = new Promise<void>((resolve) => source.changes(resolve));
    await change();
    await within.wait("word of the change", reported);
    const after = await find(source, within, call);
    assert.ok(after === before, `${before.name} is another object after a change elsewhere`);
  };
}

const staysQuiet: Work = async ({ source, repeat }, within) => {
  if (repeat === undefined) return;
  const before = await listOf(source, within);
  let reported = 0;
  source.changes(() => {
    reported += 1;
  });
  await repeat();
  const after = await listOf(source, within);
  assert.equal(reported, 0, "listeners were told although nothing changed");
  for (const [at, tool] of after.entries()) assert.ok(tool === before[at], `${tool.name} is another object`);
};

const closesTwice: Work = async ({ source }, within) => {
  await listOf(source, within);
  await within.wait("close, twice at once", Promise.all([source.close(), source.close()]));
  await within.wait("close, once more", source.close());
};

const listsAfterClose: Work = async ({ source }, within) => {
  await listOf(source, within);
  await source.close();
  const tools = await within.wait("list after close", source.list(new AbortController().signal).catch(requireTyped));
  if (Array.isArray(tools)) checkListedTools(tools, source.kind);
};

function runsNothingAfterClose(call: ContractCall): Work {
  return async ({ source }, within) => {
    const tool = await find(source, within, call);
    await source.close();
    const result = await within.wait("run after close", start(source, tool, call).catch(requireTyped));
    if (result === undefined) return;
    checkResult(result);
    assert.notEqual(result.resultType, "success", "a call succeeded after close");
  };
}

function endsCalls(call: ContractCall): Work {
  return async ({ source }, within) => {
    const tool = await find(source, within, call);
    const running = start(source, tool, call).catch(requireTyped);
    await new Promise((resolve) => setImmediate(resolve));
    await within.wait("close", source.close());
    const result = await within.wait("a call that was running at close", running);
    if (result !== undefined) checkResult(result);
  };
}

function leavesNothing(call: ContractCall): Work {
  return async ({ source, leftovers }, within) => {
    await within.wait("run", start(source, await find(source, within, call), call));
    await within.wait("close", source.close());
    assert.deepEqual([...((await leftovers?.()) ?? [])], [], "something is left after close");
  };
}

function listOf(source: Source, within: Patience): Promise<readonly Tool[]> {
  return within.wait("list", source.list(new AbortController().signal));
}

async function find(source: Source, within: Patience, call: ContractCall): Promise<Tool> {
  const tools = await listOf(source, within);
  const tool = tools.find(({ name }) => name === call.tool);
  assert.ok(tool, `there is no tool ${call.tool}, only ${namesOf(tools).join(", ")}`);
  return tool;
}

function namesOf(tools: readonly Tool[]): readonly string[] {
  return tools.map(({ name }) => name);
}

function start(source: Source, tool: Tool, call: ContractCall, signal = new AbortController().signal) {
  return source.run(tool, call.args, { sessionId: "contract", toolCallId: "call", signal });
}

/** A closed source may report an error, but only one that a person can act on. */
function requireTyped(error: unknown): undefined {
  assert.ok(isToolcribError(error), `rejected with ${String(error)}, which is no ToolcribError`);
  return undefined;
}
