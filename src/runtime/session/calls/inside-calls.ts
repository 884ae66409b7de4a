import { insideCall } from "../../executor/current-call.ts";
import type { SessionHooks } from "../../hooks/hook-types.ts";
import type { CallSetting } from "./call-setting.ts";

export type Deciding = Required<Pick<CallSetting, "hooks" | "onPermissionRequest" | "classifier">>;

/**
 * What the host decides about a call runs inside that call: a call that it makes meanwhile runs in its place, where it
 * would otherwise wait behind the very call that waits for it.
 */
export function insideCalls(sessionId: string, { hooks, onPermissionRequest, classifier }: Deciding): Deciding {
  const inside =
    <Input extends object, Rest extends readonly unknown[], InputMessage>(
      decide: (input: Input, ...rest: Rest) => InputMessage,
    ) =>
    (input: Input, ...rest: Rest): InputMessage => {
      const id = "toolCallId" in input ? input.toolCallId : null;
      if (typeof id !== "string") return decide(input, ...rest);
      return insideCall({ id, sessionId, isDeciding: true }, () => decide(input, ...rest));
    };
  return {
    hooks: onceFor(hooks, (own) => {
      const entries = Object.entries(own).filter(([, hook]) => typeof hook === "function");
      return Object.fromEntries(entries.map(([name, hook]) => [name, inside(hook)])) as SessionHooks; // Each under its own name.
    }),
    onPermissionRequest: onceFor(onPermissionRequest, (handler) => (handler === null ? null : inside(handler))),
    classifier: onceFor(classifier, (own) => {
      if (own === null) return null;
      const { filter, judge } = own;
      return { filter: inside(filter.bind(own)), ...(judge === undefined ? {} : { judge: inside(judge.bind(own)) }) };
    }),
  };
}

/** Every call comes by here, and what it finds hardly ever changes. */
function onceFor<T>(read: () => T, wrap: (value: T) => T): () => T {
  let last: { readonly value: T; readonly wrapped: T } | null = null;
  return () => {
    const value = read();
    if (last === null || last.value !== value) last = { value, wrapped: wrap(value) };
    return last.wrapped;
  };
}
