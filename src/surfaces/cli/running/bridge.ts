import type { Socket } from "node:net";
import { parseJson } from "../../../core/shape/parse-json.ts";
import type { FrameEvent } from "../../../system/rpc/framing.ts";
import { LINES } from "../../../system/rpc/line-framing.ts";
import { readVersion } from "../../../system/version.ts";
import { readIntroduction, toInitializeAnswer } from "../../gateway/wire/initialize.ts";
import {
  type Incoming,
  isId,
  isObject,
  type RequestId,
  refuseRequest,
  sortIncoming,
  writeAnswer,
} from "../../gateway/wire/json-rpc.ts";
import { GATEWAY_LIMITS } from "../../gateway/wire/limits.ts";
import { ERROR } from "../../gateway/wire/protocol.ts";

/** A Toolcrib that a client is attached to. */
export interface Attached {
  readonly socket: Socket;
  /** Which one: two with the same key are the same workspace. */
  readonly key: string;
}

export interface BridgePorts {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Attaches to the Toolcrib of the workspace that the client's roots mean; starts it if need be. Null: they are not known. */
  readonly attach: (roots: readonly string[] | null) => Promise<Attached>;
  /** The same before they are known, and null where the working folder leaves doubts. */
  readonly guess: () => Promise<Attached | null>;
  readonly tell: (text: string) => void;
}

/**
 * One client on standard input and output, and the running Toolcrib behind a socket. Lines pass through as they are. When
 * that Toolcrib dies another one is started, and the client is introduced to it again. Resolves when the client is gone.
 */
export function runBridge(ports: BridgePorts): Promise<void> {
  return new Bridge(ports).run();
}

const ROOTS_ID = "toolcrib-roots";
const ROOTS_PATIENCE = 5_000;
/** Milliseconds for what is still unanswered at the end of the input, and while nothing is attached yet. */
const PARTING = 500;
const PARTING_AT_START = 15_000;
const MOST_RESTARTS = 3;
const RESTART_SPAN = 60_000;
/** How much is answered is limited elsewhere; this only keeps a process that went mad from filling the memory. */
const MOST_ANSWER = 256 * 1024 * 1024;
const LOST =
  "Toolcrib ended before it had answered, and was started again; whether anything of it was carried out is not known";

interface Introduction {
  readonly id: RequestId;
  readonly line: string;
  readonly version: string;
  readonly hasRoots: boolean;
}

class Bridge {
  readonly #ports: BridgePorts;
  /** Requests of the client, and of the Toolcrib, that wait for an answer. */
  readonly #asked = new Set<RequestId>();
  readonly #questions = new Set<RequestId>();
  /** Lines of the client while nobody is there to take them. */
  readonly #waiting: { readonly line: string; readonly id: RequestId | null }[] = [];
  readonly #restarts: number[] = [];
  #introduction: Introduction | null = null;
  #initialized: string | null = null;
  #link: Attached | null = null;
  #isOpen = false;
  #isStarted = false;
  #roots: readonly string[] | null = null;
  #onInitialized: (() => void) | null = null;
  #onRoots: ((roots: readonly string[] | null) => void) | null = null;
  /** Called with the answer to an introduction that the client must not see twice. */
  #onIntroduced: (() => void) | null = null;
  #finish: ((error: Error | null) => void) | null = null;

  constructor(ports: BridgePorts) {
    this.#ports = ports;
  }

  run(): Promise<void> {
    const { input, output } = this.#ports;
    return new Promise((resolve, reject) => {
      this.#finish = (error) => {
        this.#finish = null;
        this.#link?.socket.destroy();
        if (error === null) resolve();
        else reject(error);
      };
      const splitter = LINES.createSplitter({
        messageBytes: GATEWAY_LIMITS.messageBytes,
        skippedBytes: GATEWAY_LIMITS.messageBytes,
      });
      input.on("data", (chunk: Buffer | string) => {
        for (const event of splitter.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk)) this.#read(event);
      });
      input.once("end", () => this.#part());
      output.on("error", () => this.#finish?.(null));
    });
  }

  #read(event: FrameEvent): void {
    if (event.kind === "message" && event.bytes.length > 0) this.#take(event.bytes.toString());
    if (event.kind === "oversized")
      this.#say(
        writeAnswer(event.id, refuseRequest(ERROR.server, `the message is over ${GATEWAY_LIMITS.messageBytes} bytes`)),
      );
  }

  /** A line of the client. */
  #take(line: string): void {
    const message = sortIncoming(parseJson(line));
    if (message.kind === "response") {
      if (message.id === ROOTS_ID) return void this.#onRoots?.(readRoots(message.answer));
      // An answer to what nobody asks any more.
      if (!this.#questions.delete(message.id)) return;
    }
    if (message.kind === "request") this.#asked.add(message.id);
    if (message.kind === "request" && message.method === "initialize" && this.#introduction === null) {
      const { version, capabilities } = readIntroduction(message.params);
      this.#introduction = { id: message.id, line, version, hasRoots: isObject(capabilities.roots) };
    }
    if (message.kind === "notification") {
      const { requestId } = message.params;
      if (message.method === "notifications/cancelled" && isId(requestId)) this.#asked.delete(requestId);
      if (message.method === "notifications/initialized") {
        this.#initialized = line;
        if (this.#onInitialized !== null) return void this.#onInitialized();
      }
    }
    if (this.#isOpen) return void this.#pass(line);
    this.#waiting.push({ line, id: message.kind === "request" ? message.id : null });
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#start().catch((error: unknown) => this.#fail(error));
  }

  /** The first line says what kind of client it is, and with that where its workspace can be known from. */
  async #start(): Promise<void> {
    const introduction = this.#introduction;
    if (introduction?.hasRoots !== true) {
      this.#use(await this.#ports.attach(null));
      return this.#open();
    }
    const initialized = new Promise<void>((resolve) => {
      this.#onInitialized = resolve;
    });
    // Of all lines only the introduction goes ahead, before it is known that the guess is right.
    this.#waiting.shift();
    const guess = await this.#ports.guess();
    if (guess !== null) {
      this.#use(guess);
      this.#pass(introduction.line);
    } else {
      this.#asked.delete(introduction.id);
      const server = { name: "toolcrib", title: "Toolcrib", version: readVersion() };
      this.#say(writeAnswer(introduction.id, toInitializeAnswer(introduction.version, server, undefined)));
    }
    await initialized;
    this.#onInitialized = null;
    this.#roots = await this.#askRoots();
    const right = await this.#ports.attach(this.#roots);
    if (right.key === this.#link?.key) {
      right.socket.destroy();
      this.#pass(this.#initialized ?? "");
    } else {
      const wrong = this.#link;
      this.#link = null;
      wrong?.socket.destroy();
      this.#use(right);
      await this.#introduce();
    }
    this.#open();
  }

  #askRoots(): Promise<readonly string[] | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#onRoots?.(null), ROOTS_PATIENCE);
      this.#onRoots = (roots) => {
        clearTimeout(timer);
        this.#onRoots = null;
        resolve(roots);
      };
      this.#say(JSON.stringify({ jsonrpc: "2.0", id: ROOTS_ID, method: "roots/list" }));
    });
  }

  /** A client that was introduced to another Toolcrib is introduced to this one too, without noticing. */
  async #introduce(): Promise<void> {
    const introduction = this.#introduction;
    if (introduction === null) return;
    await new Promise<void>((resolve) => {
      this.#onIntroduced = resolve;
      this.#pass(introduction.line);
    });
    if (this.#initialized !== null) this.#pass(this.#initialized);
  }

  #open(): void {
    this.#isOpen = true;
    for (const { line } of this.#waiting.splice(0)) this.#pass(line);
  }

  #use(next: Attached): void {
    this.#link = next;
    const splitter = LINES.createSplitter({ messageBytes: MOST_ANSWER, skippedBytes: MOST_ANSWER });
    next.socket.on("data", (chunk: Buffer) => {
      for (const event of splitter.push(chunk)) if (event.kind === "message") this.#hear(event.bytes.toString());
    });
    next.socket.once("close", () => {
      if (this.#link !== next || this.#finish === null) return;
      this.#link = null;
      this.#isOpen = false;
      this.#restart().catch((error: unknown) => this.#fail(error));
    });
    if (this.#finish === null) next.socket.destroy();
    else next.socket.resume();
  }

  /** A line of the Toolcrib. */
  #hear(line: string): void {
    const value = parseJson(line);
    if (isObject(value) && typeof value.farewell === "string") {
      this.#ports.tell(value.farewell);
      this.#failAsked(value.farewell);
      return void this.#finish?.(null);
    }
    const message = sortIncoming(value);
    if (message.kind === "request") this.#questions.add(message.id);
    if (message.kind === "response") {
      if (this.#onIntroduced !== null && message.id === this.#introduction?.id) {
        this.#onIntroduced();
        this.#onIntroduced = null;
        // It has been answered already, unless the one that was asked first died before it could.
        if (!this.#asked.has(message.id)) return;
      }
      this.#asked.delete(message.id);
    }
    this.#say(line);
  }

  async #restart(): Promise<void> {
    const now = performance.now();
    while ((this.#restarts[0] ?? now) < now - RESTART_SPAN) this.#restarts.shift();
    if (this.#restarts.length >= MOST_RESTARTS)
      throw new Error(
        `Toolcrib ended ${this.#restarts.length + 1} times within a minute; "toolcrib doctor" may say why`,
      );
    this.#restarts.push(now);
    this.#ports.tell("the running Toolcrib ended; starting it again");
    // What was not sent to anybody yet is not lost, and neither is an introduction, which is repeated.
    const unsent = this.#waiting.flatMap(({ id }) => id ?? []);
    this.#failAsked(LOST, new Set([...unsent, ...(this.#introduction === null ? [] : [this.#introduction.id])]));
    for (const requestId of this.#questions) this.#notify("notifications/cancelled", { requestId });
    this.#questions.clear();
    this.#use(await this.#ports.attach(this.#roots));
    await this.#introduce();
    this.#open();
    if (this.#introduction === null) return;
    for (const list of ["tools", "prompts", "resources"]) this.#notify(`notifications/${list}/list_changed`);
  }

  /** The client has nothing more to say: what it asked is answered if that does not take long. */
  #part(): void {
    const end = performance.now() + (this.#isOpen ? PARTING : PARTING_AT_START);
    const look = setInterval(() => {
      if (this.#asked.size > 0 && performance.now() < end && this.#finish !== null) return;
      clearInterval(look);
      this.#finish?.(null);
    }, 10);
  }

  #fail(error: unknown): void {
    const failure = error instanceof Error ? error : new Error(String(error));
    this.#failAsked(failure.message);
    this.#finish?.(failure);
  }

  #failAsked(text: string, spared: ReadonlySet<RequestId> = new Set()): void {
    for (const id of this.#asked) {
      if (spared.has(id)) continue;
      this.#asked.delete(id);
      this.#say(writeAnswer(id, refuseRequest(ERROR.server, text)));
    }
  }

  #notify(method: string, params?: object): void {
    this.#say(JSON.stringify({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) }));
  }

  /** To the client; who does not read is not written to without end. */
  #say(line: string): void {
    const { output } = this.#ports;
    const socket = this.#link?.socket;
    if (output.write(`${line}\n`) || socket === undefined) return;
    socket.pause();
    output.once("drain", () => socket.resume());
  }

  /** To the Toolcrib. */
  #pass(line: string): void {
    const { input } = this.#ports;
    const socket = this.#link?.socket;
    if (socket === undefined || socket.write(`${line}\n`)) return;
    input.pause();
    const go = (): void => {
      socket.off("drain", go);
      socket.off("close", go);
      input.resume();
    };
    socket.once("drain", go);
    socket.once("close", go);
  }
}

function readRoots(answer: Extract<Incoming, { kind: "response" }>["answer"]): readonly string[] | null {
  if (answer.kind === "error" || !Array.isArray(answer.result.roots)) return null;
  const roots: readonly unknown[] = answer.result.roots;
  return roots.flatMap((root) => (isObject(root) && typeof root.uri === "string" ? [root.uri] : []));
}
