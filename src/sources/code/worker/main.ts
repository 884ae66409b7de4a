import { parentPort, workerData } from "node:worker_threads";
import { type CodeCall, type FromWorker, GRANT, type ThreadData, type ToWorker } from "../messages.ts";
import { createCodeEngine } from "./engine.ts";
import { type CodeSandbox, startSandbox } from "./sandbox.ts";

/** The thread in which code runs, one run at a time. Bundled with its dependencies into `dist/code`. */
const port = parentPort;
if (port === null) throw new Error("this file runs as a worker");
const post = (message: FromWorker): void => port.postMessage(message);

const data: ThreadData = workerData;
const granted = new Int32Array(data.granted);
/** Asks the process, which counts the memory of all runs together. */
const mayGrow = (bytes: number): boolean => {
  Atomics.store(granted, 0, GRANT.waiting);
  post({ type: "grow", bytes });
  Atomics.wait(granted, 0, GRANT.waiting);
  return Atomics.load(granted, 0) === GRANT.yes;
};
const open = () => createCodeEngine(data.engine, mayGrow);

let engine = await open();
let sandbox: CodeSandbox | null = null;
let read = 0;
/** Calls made since the code last waited: they are sent together. */
const calls: CodeCall[] = [];

port.on("message", async (message: ToWorker) => {
  read += 1;
  if (message.type === "answer") sandbox?.answer(message.answer);
  else sandbox = startSandbox(engine, message.run, (call) => calls.push(call));
  if (sandbox === null) return;
  const { end } = sandbox;
  if (end === null) return post({ type: "waits", calls: calls.splice(0), read });
  calls.length = 0;
  sandbox = null;
  read = 0;
  post({ type: "end", end: engine.hasGrown ? { ...end, spent: true } : end });
  if (!engine.hasGrown && !engine.renew()) engine = await open();
});

post({ type: "ready" });
