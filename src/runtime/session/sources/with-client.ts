import { atLine, type PeerClient } from "../../../sources/peer.ts";
import type { RunContext, Source } from "../../../sources/source.ts";

/** Servers that ask something in the middle of a call get to ask this client, unless the call brings its own. */
export function withClient(source: Source, clientOf: ((call: RunContext) => PeerClient) | null): Source {
  if (clientOf === null || source.asksBack !== true) return source;
  return derive(source, {
    run(tool, args, context) {
      if (context.client !== undefined) return source.run(tool, args, context);
      return source.run(tool, args, {
        ...context,
        signal: context.signal,
        client: atLine(clientOf(context), context.codeLine),
      });
    },
  });
}

/** The source with some members replaced; all others, getters too, stay its own. */
export function derive<T extends Source>(source: T, own: Partial<Source>): T {
  return Object.create(source, Object.getOwnPropertyDescriptors(own)) as T; // What is not replaced is inherited.
}
