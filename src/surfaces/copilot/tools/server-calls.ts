import { derive } from "../../../runtime/session/sources/with-client.ts";
import type { Source } from "../../../sources/source.ts";
import { invokeHook } from "../clients/client-hooks.ts";
import type { Live } from "../state/live.ts";
import { isJson } from "../wire/wire-values.ts";

/** Lets clients' hooks say what goes along with a call to a server. */
export function createServerCalls(live: () => Live): (server: Source) => Source {
  return (source) =>
    derive(source, {
      async run(tool, args, context) {
        const hasHooks = [...live().clients.values()].some(({ hooks }) => hooks);
        if (!hasHooks) return source.run(tool, args, context);
        const { toolCallId, meta } = context;
        const about = { serverName: source.name, toolName: tool.name, arguments: args, toolCallId };
        const said = await invokeHook(live(), "preMcpToolCall", meta === undefined ? about : { ...about, _meta: meta });
        const { meta: _, ...rest } = { ...context, signal: context.signal };
        const kept = said.metaToUse === undefined ? meta : isJson(said.metaToUse) ? said.metaToUse : undefined;
        return source.run(tool, args, kept === undefined ? rest : { ...rest, meta: kept });
      },
    });
}
