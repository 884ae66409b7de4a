import { TODO_KEY } from "../../host.ts";
import type { BuiltinHandler } from "../parts/handler.ts";
import { fail, succeed } from "../parts/results.ts";

const STATUSES = ["pending", "in_progress", "completed"] as const;

interface TodoItem {
  readonly text: string;
  readonly status: (typeof STATUSES)[number];
}

const MARKS = { pending: "[ ]", in_progress: "[>]", completed: "[x]" } as const satisfies Record<
  TodoItem["status"],
  string
>;
const MAX_ITEMS = 100;
const MAX_TEXT = 500;

/** `todo`: stores the list that was sent last, and shows it. */
export const todo: BuiltinHandler = async ({ items }, _run, { state, onTodo }) => {
  if (items !== undefined && items !== null) {
    if (!Array.isArray(items) || !items.every(isTodoItem)) {
      return fail(`"items" must be a list of {text, status}, with status one of ${STATUSES.join(", ")}.`);
    }
    if (items.length > MAX_ITEMS) return fail(`A list has at most ${MAX_ITEMS} steps; join some of them.`);
    if (items.some(({ text }) => text.length > MAX_TEXT)) return fail(`A step has at most ${MAX_TEXT} characters.`);
    const kept = items.map(({ text, status }) => ({ text: text.replace(/\s+/g, " ").trim(), status }));
    state.set(TODO_KEY, kept);
    onTodo(kept);
  }
  const list = listOf(state.get(TODO_KEY));
  if (list.length === 0) return succeed("The list is empty.", list);
  const done = list.filter(({ status }) => status === "completed").length;
  return succeed(
    [`${done} of ${list.length} done`, ...list.map(({ text, status }) => `${MARKS[status]} ${text}`)].join("\n"),
    list,
  );
};

/** The state is shared and untyped, so its content is checked like anything from outside. */
function listOf(value: unknown): readonly TodoItem[] {
  return Array.isArray(value) ? value.filter(isTodoItem) : [];
}

function isTodoItem(value: unknown): value is TodoItem {
  if (typeof value !== "object" || value === null || !("text" in value) || !("status" in value)) return false;
  return (
    typeof value.text === "string" && value.text.trim() !== "" && STATUSES.some((status) => status === value.status)
  );
}
