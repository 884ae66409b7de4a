import type { Behaviour } from "../behaviour.ts";
import { AGENT_ROWS } from "./agent-rows.ts";
import { EVENT_ROWS } from "./event-rows.ts";
import { MODEL_ROWS } from "./model-rows.ts";
import { PROMISE_ROWS } from "./promise-rows.ts";
import { SERVER_ROWS } from "./server-rows.ts";
import { TOOL_ROWS } from "./tool-rows.ts";

/** What has to be the same for every app. A behaviour that is new or mended gets a row. */
export const ROWS: readonly Behaviour[] = [
  ...TOOL_ROWS,
  ...MODEL_ROWS,
  ...AGENT_ROWS,
  ...EVENT_ROWS,
  ...PROMISE_ROWS,
  ...SERVER_ROWS,
];
