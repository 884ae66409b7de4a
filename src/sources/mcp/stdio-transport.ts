import type { ProcessSpec, SpawnProcess } from "../../system/process/spawn-process.ts";
import { createFramedProcess } from "../../system/rpc/framed-process.ts";
import { LINES } from "../../system/rpc/line-framing.ts";
import { createChatter } from "../parts/chatter.ts";
import type { SourceFault } from "../source.ts";
import { type ChannelPorts, createChannel } from "./channel.ts";
import { TOO_DEEP, tooLarge } from "./too-large.ts";
import type { McpTransport } from "./transport.ts";

export interface StdioTransportOptions extends ChannelPorts, Pick<ProcessSpec, "argv" | "cwd" | "env"> {
  readonly spawn: SpawnProcess;
  readonly redact: (text: string) => string;
  /** Called once, with the first thing that is no protocol. */
  readonly onFault: (fault: SourceFault) => void;
}

/** Speaks to a process, one message per line. `start` starts the process; `close` ends it with its process group. */
export function createStdioTransport({ clock, onWire, ...options }: StdioTransportOptions): McpTransport {
  const { limits, redact, onFault } = options;
  const chatter = createChatter(redact, onFault);
  const channel = createChannel({
    ...{ limits, clock, onWire },
    onJunk: chatter.note,
    onCut: (reason) => child.cut(reason),
  });
  const child = createFramedProcess({
    ...options,
    framing: LINES,
    onMessage(read) {
      if (read.kind === "message") return channel.receive(read.message);
      if (read.kind === "junk") return channel.receiveJunk(read.text);
      const local = read.kind === "oversized" ? tooLarge(limits.messageBytes) : TOO_DEEP;
      if (!channel.fail(read.id, local)) channel.receiveJunk(null);
    },
    onOver: () => transport.onclose?.(),
  });
  const transport: McpTransport & { readonly pid: number | null; readonly stderr: null } = {
    lost: child.lost,
    refusal: null,
    channel,
    get fault() {
      return chatter.fault;
    },
    readStderr: child.readStderr,
    // The client package recognises a local process by these two members.
    get pid() {
      return child.pid;
    },
    stderr: null,
    get onmessage() {
      return channel.deliver;
    },
    set onmessage(listener) {
      channel.deliver = listener;
    },
    start: child.start,
    send(message, sendOptions) {
      if (child.isOpen) channel.noteSent(message, sendOptions);
      // A single call is sent at once; most calls are the only one.
      return child.send(message, channel.exchanges.size <= 1);
    },
    close: () => child.close(),
  };
  return transport;
}
