import { expect, test } from "vitest";
import { mapEach } from "./map-each.ts";

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Counts from 1, and notes when it is let go of. */
function counter() {
  const state = { asked: 0, isOver: false };
  const items: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        state.asked += 1;
        return { done: state.asked > 3, value: state.asked };
      },
      return: async () => {
        state.isOver = true;
        return { done: true as const, value: undefined };
      },
    }),
  };
  return { state, items };
}

test("each item is changed, in order", async () => {
  expect(await all(mapEach(counter().items, (count) => count * 2))).toEqual([2, 4, 6]);
});

test("a list that holds promises is a stream too", async () => {
  expect(await all(mapEach([1, Promise.resolve(2)], (count) => count + 1))).toEqual([2, 3]);
  await expect(all(mapEach([1, Promise.reject(new Error("gone"))], (count) => count))).rejects.toThrow("gone");
});

test("the source is taken at once, since some lose what nobody listens to", () => {
  let isTaken = false;
  const items = {
    [Symbol.asyncIterator]: () => {
      isTaken = true;
      return counter().items[Symbol.asyncIterator]();
    },
  };
  mapEach(items, (count) => count);
  expect(isTaken).toBe(true);
});

test("the source is released when its reader stops early, and where a change throws", async () => {
  const left = counter();
  for await (const count of mapEach(left.items, (one) => one)) if (count === 2) break;
  expect(left.state).toEqual({ asked: 2, isOver: true });
  const broken = counter();
  const failing = mapEach(broken.items, () => {
    throw new Error("no such item");
  });
  await expect(all(failing)).rejects.toThrow("no such item");
  expect(broken.state).toEqual({ asked: 1, isOver: true });
});
