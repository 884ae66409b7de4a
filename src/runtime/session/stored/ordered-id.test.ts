import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createOrderedIds } from "./ordered-id.ts";

test("ids are UUIDs in the order in which they were made, with all that chance adds behind", () => {
  let now = Date.UTC(2026, 1, 1);
  const next = createOrderedIds({ today: () => now, newId: randomUUID });
  const ids = Array.from({ length: 100 }, (_, at) => {
    if (at % 7 === 0) now += 1;
    return next();
  });
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids.map((id) => id.slice(19))).size).toBe(100);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

test("ids of another kind stay as they are", () => {
  expect(createOrderedIds({ today: () => 1, newId: () => "id-1" })()).toBe("id-1");
});
