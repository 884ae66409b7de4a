import type { ProcessSpec, SpawnProcess } from "../../system/process/spawn-process.ts";
import { createFramedProcess } from "../../system/rpc/framed-process.ts";
import { LINES } from "../../system/rpc/line-framing.ts";
import { type ChannelPorts, createChannel } from "./channel.ts";
import { TOO_DEEP, tooLarge } from "./too-large.ts";
import type { McpTransport } from "./transport.ts";

export interface StdioTransportOptions extends ChannelPorts, Pick<ProcessSpec, "argv" | "cwd" | "env"> {
  readonly spawn: SpawnProcess;
}

/** Speaks to a process, one message a line. The process is started by `start` and ended, with its group, by `close`. */
export function createStdioTransport({ clock, onWire, ...options }: StdioTransportOptions): McpTransport {
  const { limits } = options;
  const channel = createChannel({ limits, clock, onWire, onCut: (reason) => child.cut(reason) });
  const child = createFramedProcess({
    ...options,
    framing: LINES,
    onMessage(read) {
      if (read.kind === "message") return channel.receive(read.message);
      const fault = read.kind === "oversized" ? tooLarge(limits.messageBytes) : TOO_DEEP;
      if (read.kind === "junk" || !channel.fail(read.id, fault)) channel.receiveJunk();
    },
    onOver: () => transport.onclose?.(),
  });
  const transport: McpTransport & { readonly pid: number | null; readonly stderr: null } = {
    lost: child.lost,
    refusal: null,
    channel,
    readStderr: child.readStderr,
    // Having these two is how the client package tells a local process from a remote server.
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
      // The first of several calls need not wait for the others, and most calls are the only one.
      return child.send(message, channel.exchanges.size <= 1);
    },
    close: () => child.close(),
  };
  return transport;
}
