import fc from "fast-check";
import type { StoredEvent } from "../../src/core/events/envelope.ts";
import type { EPHEMERAL } from "../../src/core/events/event-types.ts";

/** Few, so that events meet: what one opens another closes. */
const id = fc.constantFrom("a", "b", "c", "__proto__");
const count = fc.nat(1000);
const options = fc.dictionary(
  fc.constantFrom("model", "mode", "excludedTools"),
  fc.oneof(fc.string(), fc.constant(null), fc.array(fc.string())),
  { noNullPrototype: true },
);

/** One event of each kind that changes a state, and some of a newer version. */
const happening = fc.oneof(
  of("session.started", { version: fc.constant("1"), options }),
  of("session.resumed", { version: fc.constant("1"), options }),
  of("session.options_changed", { options }),
  of("session.mode_changed", { previousMode: fc.constant("default"), newMode: fc.constantFrom("plan", "default") }),
  of("session.promotions_changed", {
    promotions: fc.record({ catalogHash: fc.constant(null), names: fc.array(id), signatures: fc.constant({}) }),
  }),
  of("session.world_changed", { world: id, tools: id }),
  of("session.todo_changed", { items: fc.array(fc.record({ text: fc.string(), status: fc.constant("done") })) }),
  of("session.database_changed", { image: fc.base64String() }),
  of("session.file_changed", { path: id, content: fc.option(fc.string()) }),
  of("session.forked", { from: id, at: count }),
  of("history.truncated", { from: fc.nat(30) }),
  of("skill.invoked", { name: id }),
  of("tool.result_kept", { toolCallId: id, id }),
  of("permission.granted", { grant: fc.record({ id, tool: id, rules: fc.array(fc.string()) }) }),
  of("permission.revoked", { grantId: id }),
  of("permission.requested", { requestId: id, toolCallId: id }),
  of("permission.completed", { requestId: fc.option(id), toolCallId: id }),
  of("plan.requested", { requestId: id, toolCallId: fc.option(id), plan: fc.string() }),
  of("plan.completed", { requestId: id, by: fc.option(id) }),
  of("tool.execution_start", { toolCallId: id, toolName: id, parentToolCallId: fc.option(id) }),
  of("tool.running", { toolCallId: id }),
  of("tool.execution_complete", { toolCallId: id, sentToModel: fc.boolean() }),
  of("assistant.usage", {
    inputTokens: count,
    outputTokens: count,
    cachedTokens: count,
    cost: fc.option(count),
  }),
  fc.record({ type: fc.constantFrom("later.kind", "constructor"), data: fc.anything({ maxDepth: 1, key: id }) }),
);

function of(type: keyof typeof EPHEMERAL, fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) {
  return fc.record({ type: fc.constant(type as string), data: fc.record(fields) as fc.Arbitrary<unknown> });
}

/** Any journal: numbered from 1, each event naming the one before. */
export const randomJournal: fc.Arbitrary<readonly StoredEvent[]> = fc
  .array(fc.record({ happening, agent: fc.option(id) }), { maxLength: 40 })
  .map((all) =>
    all.map(({ happening: { type, data }, agent }, at) => ({
      id: `e${at + 1}`,
      seq: at + 1,
      at: 1_000 + at,
      parent: at === 0 ? null : `e${at}`,
      agent,
      type,
      data: JSON.parse(JSON.stringify(data) ?? "null"),
    })),
  );
